// Many people over SSH in one lean process, for bench_ssh.py: it opens real sessions with a PTY,
// presses keys, and says what came when.
//
// main ADDRESS [KEY_FILE] reads commands from its standard input, a line each, and answers each with
// a line of JSON, which has the seconds of CPU that the command cost this process:
//
//	kinds COUNT         gives those who come from now on so many different terminals, by turns
//	open COUNT AT_ONCE  connects so many, and waits for the first animals of each
//	burst COUNT         connects so many at once, and lets each press a key as soon as they are there
//	type SECONDS        lets everybody press a key each so many seconds, until the next line
//	leave               cuts every connection
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
)

const patience = 60 * time.Second

var (
	down, up     = []byte("\x1b[B"), []byte("\x1b[A")
	firstAnimals = []byte("Mitzi") // the newest of the samples

	// Every key here moves the cursor, whose row has a mark and a background. Where a frame is drawn for
	// a new size at the same time, the mark may stay where it stands.
	mark, background = []byte("▌"), []byte("48;2;35;80;92")
	background256    = []byte("48;5;24m") // its place in 256 colours

	errLate  = errors.New("what was waited for did not come within a minute")
	errEnded = errors.New("the server ended the session")
)

type (
	ptyRequest struct {
		Term                         string
		Columns, Rows, Width, Height uint32
		Modes                        string
	}
	variable struct{ Name, Value string }
)

// expectation is what somebody waits for.
type expectation struct {
	texts [][]byte // any of them
	came  chan time.Time
}

func (e *expectation) isIn(text []byte) bool {
	for _, each := range e.texts {
		if bytes.Contains(text, each) {
			return true
		}
	}
	return false
}

// terminal is what a person has.
type terminal struct {
	kind, colours, locale string // TERM, COLORTERM and LANG
	columns, rows         uint32
}

// terminalOf is one of many kinds: of every size, in true colour or 256, of types that erase or do not,
// and some without UTF-8. The first is what everybody has where there is only one.
func terminalOf(kind int) terminal {
	t := terminal{"xterm-256color", "truecolor", "C.UTF-8", uint32(80 + (20+2*kind)%80), uint32(24 + (6+kind)%16)}
	if kind%2 == 1 {
		t.colours = ""
	}
	if kind%5 == 4 {
		t.kind = "screen-256color"
	}
	if kind%10 == 9 {
		t.locale = "C"
	}
	return t
}

// visitor is one person with one session.
type visitor struct {
	connection  *ssh.Client
	channel     ssh.Channel
	expectation atomic.Pointer[expectation]
	ended       chan struct{}
	keys        int
}

// load is everybody who is there.
type load struct {
	address  string
	config   *ssh.ClientConfig
	kinds    int // of terminals
	visitors []*visitor
	received atomic.Int64
}

func (l *load) connect(index int) (*visitor, time.Time, error) {
	connection, err := ssh.Dial("tcp", l.address, l.config)
	if err != nil {
		return nil, time.Time{}, err
	}
	v := &visitor{connection: connection, ended: make(chan struct{})}
	came, err := v.start(terminalOf(index%l.kinds), &l.received)
	if err != nil {
		connection.Close()
	}
	return v, came, err
}

// start opens a session as OpenSSH's client does, which waits for the answer to its last request only.
func (v *visitor) start(has terminal, received *atomic.Int64) (time.Time, error) {
	channel, requests, err := v.connection.OpenChannel("session", nil)
	if err != nil {
		return time.Time{}, err
	}
	v.channel = channel
	go ssh.DiscardRequests(requests)
	animals := v.expect(firstAnimals)
	pty := ptyRequest{Term: has.kind, Columns: has.columns, Rows: has.rows, Modes: "\x00"}
	channel.SendRequest("pty-req", false, ssh.Marshal(pty))
	for _, each := range []variable{{"COLORTERM", has.colours}, {"LANG", has.locale}} {
		channel.SendRequest("env", false, ssh.Marshal(each))
	}
	if ok, err := channel.SendRequest("shell", true, nil); err != nil || !ok {
		return time.Time{}, fmt.Errorf("no shell (%v)", err)
	}
	go v.read(received)
	return v.await(animals)
}

func (v *visitor) expect(texts ...[]byte) *expectation {
	expected := &expectation{texts, make(chan time.Time, 1)}
	v.expectation.Store(expected)
	return expected
}

func (v *visitor) await(expected *expectation) (time.Time, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case came := <-expected.came:
		return came, nil
	case <-v.ended:
		return time.Time{}, errEnded
	case <-late.C:
		return time.Time{}, errLate
	}
}

// read takes all that the server sends, and looks in it for what is expected.
func (v *visitor) read(received *atomic.Int64) {
	defer close(v.ended)
	buffer := make([]byte, 4096)
	kept := 0 // bytes of the last read, so that what came in two parts is found
	for {
		count, err := v.channel.Read(buffer[kept:])
		if err != nil {
			return
		}
		received.Add(int64(count))
		text := buffer[:kept+count]
		expected := v.expectation.Load()
		if expected != nil && expected.isIn(text) {
			v.expectation.Store(nil)
			expected.came <- time.Now()
			kept = 0
			continue
		}
		kept = copy(buffer, text[max(0, len(text)-len(background)+1):])
	}
}

// press moves the cursor, down and up by turns, and returns when the first of that came.
func (v *visitor) press() (time.Time, error) {
	moved := v.expect(mark, background, background256)
	key := down
	if v.keys%2 == 1 {
		key = up
	}
	v.keys++
	if _, err := v.channel.Write(key); err != nil {
		return time.Time{}, err
	}
	return v.await(moved)
}

// opened is how long each connection took until the first animals, and until the answer to a first key.
type opened struct {
	Ready    []float64 `json:"ready"`
	Answered []float64 `json:"answered"`
	Failed   []string  `json:"failed"`
	CPU      float64   `json:"cpu"`
}

func (o opened) since(began float64) opened {
	o.CPU = cpu() - began
	return o
}

func (l *load) open(count, atOnce int, pressing bool) (result opened) {
	var lock sync.Mutex
	everybody(count, atOnce, func(index int) {
		began := time.Now()
		v, ready, err := l.connect(index)
		moved := ready
		if err == nil && pressing {
			moved, err = v.press()
		}
		lock.Lock()
		defer lock.Unlock()
		if err != nil {
			result.Failed = append(result.Failed, err.Error())
			return
		}
		l.visitors = append(l.visitors, v)
		result.Ready = append(result.Ready, milliseconds(ready.Sub(began)))
		result.Answered = append(result.Answered, milliseconds(moved.Sub(began)))
	})
	return result
}

// typed is how long the answer to each key took, and the bytes that came meanwhile.
type typed struct {
	Latencies []float64 `json:"latencies"`
	Failed    []string  `json:"failed"`
	Bytes     int64     `json:"bytes"`
	CPU       float64   `json:"cpu"`
}

func (l *load) typeKeys(every time.Duration, stopped <-chan struct{}) (result typed) {
	var lock sync.Mutex
	began := l.received.Load()
	everybody(len(l.visitors), len(l.visitors), func(index int) {
		latencies, err := l.visitors[index].typeKeys(every, stopped)
		lock.Lock()
		defer lock.Unlock()
		result.Latencies = append(result.Latencies, latencies...)
		if err != nil {
			result.Failed = append(result.Failed, err.Error())
		}
	})
	result.Bytes = l.received.Load() - began
	return result
}

// typeKeys presses keys at even intervals. A key that has to wait for the answer to the one before it
// counts from when it was due.
func (v *visitor) typeKeys(every time.Duration, stopped <-chan struct{}) (latencies []float64, err error) {
	due := time.Now().Add(time.Duration(rand.Float64() * float64(every)))
	for ; ; due = due.Add(every) {
		waiting := time.Until(due)
		select {
		case <-stopped:
			return latencies, nil
		case <-time.After(waiting):
		}
		pressed := due
		if waiting > 0 {
			pressed = time.Now()
		}
		moved, err := v.press()
		if err != nil {
			return latencies, err
		}
		latencies = append(latencies, milliseconds(moved.Sub(pressed)))
	}
}

func (l *load) leave() {
	for _, v := range l.visitors {
		v.connection.Close()
	}
	l.visitors = nil
}

// everybody runs one for each of so many, a number of them at a time.
func everybody(count, atOnce int, one func(index int)) {
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for index := 0; index < count; index++ {
		places <- struct{}{}
		all.Add(1)
		go func(index int) {
			defer all.Done()
			one(index)
			<-places
		}(index)
	}
	all.Wait()
}

func milliseconds(duration time.Duration) float64 { return duration.Seconds() * 1000 }

func max(one, other int) int {
	if one > other {
		return one
	}
	return other
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func clientConfig(keyFiles []string) (*ssh.ClientConfig, error) {
	config := &ssh.ClientConfig{User: "demo", HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: patience}
	config.Ciphers = []string{"chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com"} // OpenSSH's first choice
	for _, path := range keyFiles {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		key, err := ssh.ParsePrivateKey(text)
		if err != nil {
			return nil, err
		}
		config.User = "root"
		config.Auth = append(config.Auth, ssh.PublicKeys(key))
	}
	return config, nil
}

// run carries out one command; typing goes on until there is another line.
func (l *load) run(line string, lines *bufio.Scanner) any {
	var count, atOnce int
	var seconds float64
	began := cpu()
	if _, err := fmt.Sscanf(line, "kinds %d", &count); err == nil {
		l.kinds = count
		return struct{}{}
	}
	if _, err := fmt.Sscanf(line, "open %d %d", &count, &atOnce); err == nil {
		return l.open(count, atOnce, false).since(began)
	}
	if _, err := fmt.Sscanf(line, "burst %d", &count); err == nil {
		return l.open(count, count, true).since(began)
	}
	if _, err := fmt.Sscanf(line, "type %g", &seconds); err == nil {
		stopped := make(chan struct{})
		go func() {
			lines.Scan()
			close(stopped)
		}()
		result := l.typeKeys(time.Duration(seconds*float64(time.Second)), stopped)
		<-stopped
		result.CPU = cpu() - began
		return result
	}
	if line != "leave" {
		log.Fatalf("no command: %q", line)
	}
	l.leave()
	return struct{}{}
}

func main() {
	debug.SetGCPercent(400) // memory for CPU: the load must not be the limit
	config, err := clientConfig(os.Args[2:])
	if err != nil {
		log.Fatal(err)
	}
	everyone := &load{address: os.Args[1], config: config, kinds: 1}
	lines := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := answers.Encode(everyone.run(lines.Text(), lines)); err != nil {
			log.Fatal(err)
		}
	}
}
