// What pettui's list shows, with wish and Bubble Tea: what bench_ssh.py measures pettui beside.
//
// It draws the same cells in the same colours, and moves a cursor over forty animals. It has none of
// the rest: no service, no form, no outbox. Anybody may come in. It serves on the address that it is
// given, with its host key made in the directory that it runs in.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/wish"
	wishtea "github.com/charmbracelet/wish/bubbletea"
	"github.com/gliderlabs/ssh"
	"github.com/muesli/termenv"
)

const (
	shown    = 40
	newest   = 60 // the newest animal's id
	aroundIt = 7  // lines that are no animal's
)

type status struct {
	glyph string
	words string
	style lipgloss.Style
}

var (
	names      = []string{"Mitzi", "Señor Orejas", "Blackjack", "Ægir", "Peanut", "小梅", "Olive", "Biscuit", "Sushi"}
	categories = []string{"1 Cats", "5 Rabbits", "8 Horses", "7 Small pets", "2 Birds", "4 Fish", "6 Reptiles", "3 Dogs"}
	statuses   = []status{
		{"◐", " pending", colour("#e3b866", "#15191e")},
		{"●", " available", colour("#86cf91", "#15191e")},
		{"○", " sold", colour("#9db2d0", "#15191e")},
		{"–", " not set", colour("#97a3b0", "#15191e")},
	}

	demo     = colour("#ffffff", "#2c66aa").Bold(true)
	header   = colour("#97a3b0", "#1c2229")
	tab      = colour("#f4f7fa", "#44586a").Bold(true)
	notice   = colour("#dbe1e8", "#2b2618")
	head     = colour("#97a3b0", "#15191e").Bold(true)
	dim      = colour("#97a3b0", "#15191e")
	name     = colour("#dbe1e8", "#15191e")
	selected = colour("#f4f7fa", "#23505c").Bold(true)
	key      = colour("#6cc5ba", "#1c2229").Bold(true)

	keys = [][2]string{
		{"a", "Add"}, {"↵", "Open"}, {"/", "Find"}, {"s", "Sort"}, {"m", "More"}, {"w", "Watch"},
		{"o", "Outbox"}, {"r", "Refresh"}, {"e", "Export"}, {"F1", "Help"}, {"q", "Quit"},
	}
)

func colour(foreground, background string) lipgloss.Style {
	return lipgloss.NewStyle().Foreground(lipgloss.Color(foreground)).Background(lipgloss.Color(background))
}

type animal struct {
	id             int
	name, category string
	status         status
}

type model struct {
	animals       []animal
	cursor, first int
	width, height int
}

func newModel(width, height int) model {
	animals := make([]animal, shown)
	for i := range animals {
		animals[i] = animal{
			id:       newest - i,
			name:     names[i%len(names)],
			category: categories[i*5%len(categories)],
			status:   statuses[i*7%len(statuses)],
		}
	}
	return model{animals: animals, width: width, height: height}
}

func (m model) Init() tea.Cmd { return nil }

func (m model) rows() int {
	if m.height <= aroundIt {
		return 1
	}
	return m.height - aroundIt
}

func (m model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = message.Width, message.Height
	case tea.KeyMsg:
		switch message.String() {
		case "q", "ctrl+c":
			return m, tea.Quit
		case "down", "j":
			if m.cursor < len(m.animals)-1 {
				m.cursor++
			}
		case "up", "k":
			if m.cursor > 0 {
				m.cursor--
			}
		}
	}
	if m.cursor < m.first {
		m.first = m.cursor
	}
	if m.cursor >= m.first+m.rows() {
		m.first = m.cursor - m.rows() + 1
	}
	return m, nil
}

// padded is a text of a number of columns.
func padded(text string, columns int) string {
	if missing := columns - lipgloss.Width(text); missing > 0 {
		return text + strings.Repeat(" ", missing)
	}
	return text
}

// filled is a line of the whole width; what is right of the text has a style of its own.
func (m model) filled(line string, style lipgloss.Style) string {
	if missing := m.width - lipgloss.Width(line); missing > 0 {
		return line + style.Render(strings.Repeat(" ", missing))
	}
	return line
}

func (m model) row(index int) string {
	one := m.animals[index]
	id, category := fmt.Sprintf("%7d  ", one.id), padded(one.category, 14)
	if index == m.cursor {
		text := "▌" + id[1:] + padded(one.name, 33) + category + one.status.glyph + one.status.words
		return m.filled(selected.Render(text), selected)
	}
	line := dim.Render(" "+id[1:]) + name.Render(padded(one.name, 33)) + dim.Render(category)
	return m.filled(line+one.status.style.Render(one.status.glyph)+dim.Render(one.status.words), dim)
}

func (m model) View() string {
	const answered = "as of 12:00:00 · 18 ms "
	top := demo.Render(" DEMO ") + header.Render(padded(" nothing is kept", m.width-6-lipgloss.Width(answered))+answered)
	tabs := tab.Render(" 1 All ") + dim.Render(" 2 ● Available  3 ◐ Pending  4 ○ Sold")
	told := " ▲ A demo, for you alone: it is gone when you leave. F9 starts over. esc closes this notice."
	lines := []string{
		top, m.filled(tabs, dim), m.filled("", dim), m.filled(notice.Render(told), notice),
		m.filled(head.Render("     Id  Name                             Category      Status"), head),
	}
	for i := m.first; i < m.first+m.rows() && i < len(m.animals); i++ {
		lines = append(lines, m.row(i))
	}
	bottom := " "
	for _, each := range keys {
		bottom += key.Render(each[0]+" ") + header.Render(each[1]+"  ")
	}
	count := header.Render(fmt.Sprintf(" %d shown · limit %d · m: more", shown, shown))
	return strings.Join(append(lines, m.filled(count, header), m.filled(bottom, header)), "\n")
}

func start(session ssh.Session) (tea.Model, []tea.ProgramOption) {
	pty, _, hasPty := session.Pty()
	if !hasPty {
		return nil, nil
	}
	return newModel(pty.Window.Width, pty.Window.Height), []tea.ProgramOption{tea.WithAltScreen()}
}

func main() {
	server, err := wish.NewServer(
		wish.WithAddress(os.Args[1]),
		wish.WithHostKeyPath("./host_ed25519"),
		wish.WithMiddleware(wishtea.MiddlewareWithColorProfile(start, termenv.TrueColor)),
	)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(server.ListenAndServe())
}
