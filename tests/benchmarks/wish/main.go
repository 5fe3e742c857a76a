// A list app like pettui's, with wish and Bubble Tea: what bench_ssh.py measures pettui beside.
//
// A hundred animals, a cursor, a preview of the animal under it, a header and a footer. It has none
// of the rest: no service, no form, no outbox. Anybody may come in. It serves on the address that
// it is given, with its host key made in the directory that it runs in.
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

const animalCount = 100

var (
	names      = []string{"Mitzi", "Nemo", "Blackjack", "Rex", "Mimi", "Tiny", "Hasso", "Felix"}
	categories = []string{"1 Cats", "2 Fish", "3 Dogs", "7 Rodents"}
	statuses   = []string{"● available", "◐ pending", "○ sold", "– not set"}

	header  = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("#15191e")).Background(lipgloss.Color("#7ac7c4"))
	columns = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("#8a93a0"))
	chosen  = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("#f2f4f6")).Background(lipgloss.Color("#2c4a5a"))
	usual   = lipgloss.NewStyle().Foreground(lipgloss.Color("#d8dce2"))
	preview = lipgloss.NewStyle().Foreground(lipgloss.Color("#d8dce2")).Padding(0, 1).Width(30)
)

type animal struct {
	id                     int
	name, category, status string
}

type model struct {
	animals       []animal
	cursor, first int
	width, height int
}

func newModel(width, height int) model {
	animals := make([]animal, animalCount)
	for i := range animals {
		animals[i] = animal{
			id:       animalCount - i,
			name:     names[i%len(names)],
			category: categories[i%len(categories)],
			status:   statuses[i*7%len(statuses)],
		}
	}
	return model{animals: animals, width: width, height: height}
}

func (m model) Init() tea.Cmd { return nil }

func (m model) rows() int {
	if m.height < 5 {
		return 1
	}
	return m.height - 4
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

func (m model) View() string {
	lines := []string{columns.Render(fmt.Sprintf("  %6s  %-24s%-14s%-14s", "Id", "Name", "Category", "Status"))}
	for i := m.first; i < m.first+m.rows() && i < len(m.animals); i++ {
		one := m.animals[i]
		mark, style := " ", usual
		if i == m.cursor {
			mark, style = "▌", chosen
		}
		text := fmt.Sprintf("%s %6d  %-24s%-14s%-14s", mark, one.id, one.name, one.category, one.status)
		lines = append(lines, style.Render(text))
	}
	one := m.animals[m.cursor]
	beside := preview.Render(fmt.Sprintf(
		"%s\n\nId        %d\nCategory  %s\nStatus    %s", one.name, one.id, one.category, one.status))
	body := lipgloss.JoinHorizontal(lipgloss.Top, strings.Join(lines, "\n"), beside)
	top := header.Width(m.width).Render(" DEMO  in memory")
	bottom := fmt.Sprintf("%d shown · j Down  k Up  q Quit", len(m.animals))
	return top + "\n" + body + "\n" + bottom
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
