<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use Headroom\Spool\BucketStatus;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Helper\Table;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Terminal;

/**
 * Prints a table if the terminal is wide enough for it, and otherwise a line per number. A table whose lines the
 * terminal breaks is not readable.
 *
 * @internal
 */
final readonly class StatusTable
{
    /** @param ?int $width columns; null asks the terminal, and means 80 without one */
    public function __construct(private OutputInterface $output, private ?int $width = null) {}

    /** @param list<BucketStatus> $buckets */
    public function print(array $buckets): void
    {
        $rows = array_map($this->row(...), $buckets);

        if ($this->widthOf($rows) > ($this->width ?? (new Terminal)->getWidth())) {
            array_map($this->stack(...), $rows);

            return;
        }

        $table = new Table($this->output);
        // Symfony's own style of a heading is that of a message.
        $text = (clone Table::getStyleDefinition('compact'))->setCellHeaderFormat('<options=bold>%s</>');
        $numbers = (clone $text)->setPadType(STR_PAD_LEFT);
        $table->setStyle($text);
        $table->setHeaders(array_keys($rows[0] ?? []));
        $table->setRows(array_map(
            static fn (array $row): array => array_map(OutputFormatter::escape(...), array_values($row)),
            $rows,
        ));

        for ($column = 2; $column < count($rows[0] ?? []); $column++) {
            $table->setColumnStyle($column, $numbers);
        }

        $table->render();
    }

    /** @return array<string, string> by heading */
    private function row(BucketStatus $bucket): array
    {
        return [
            'bucket' => $bucket->bucket,
            'sink' => $bucket->sink ?? 'none',
            'accepted' => (string) $bucket->events->accepted,
            'delivered' => (string) $bucket->events->delivered,
            'dead' => (string) $bucket->events->dead,
            'dropped' => (string) $bucket->events->dropped,
            'pending' => (string) $bucket->events->pending,
            'oldest' => $bucket->oldestSeconds === null ? '' : sprintf('%.0f s', $bucket->oldestSeconds),
        ];
    }

    /** @param list<array<string, string>> $rows */
    private function widthOf(array $rows): int
    {
        $width = 0;

        foreach (array_keys($rows[0] ?? []) as $heading) {
            $width += 1 + max(array_map(Helper::width(...), [$heading, ...array_column($rows, $heading)]));
        }

        return $width;
    }

    /** @param array<string, string> $row */
    private function stack(array $row): void
    {
        $this->output->writeln(OutputFormatter::escape("{$row['bucket']} ({$row['sink']})"));

        foreach (array_slice($row, 2) as $heading => $value) {
            if ($value !== '') {
                $this->output->writeln(OutputFormatter::escape(sprintf('  %-10s %s', $heading, $value)));
            }
        }
    }
}
