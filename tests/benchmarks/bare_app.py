"""What Textual alone costs: an app that shows a table of a hundred rows, and nothing else."""

from textual.app import App, ComposeResult
from textual.widgets import DataTable


class BareApp(App[None]):
    """One DataTable, filled when it is mounted."""

    def compose(self) -> ComposeResult:
        yield DataTable()

    def on_mount(self) -> None:
        table = self.query_one(DataTable)
        table.add_columns("Id", "Name", "Category", "Status")
        table.add_rows((str(number), "Barebone", "3 Dogs", "available") for number in range(100))


if __name__ == "__main__":
    BareApp().run()
