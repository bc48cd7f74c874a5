<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Generator;

/**
 * The events that arrived in the table and the file of a world, and the lines that its processes wrote.
 */
trait Arrivals
{
    /** @return list<string> ids that arrived in the table, in the order of arrival, intact */
    public function rows(): array
    {
        return iterator_to_array($this->eachRow(), false);
    }

    /** @return Generator<string> the same, for millions */
    public function eachRow(): Generator
    {
        foreach ($this->database()->table('events')->select(['arrival', 'id', 'body'])->lazyById(
            5000,
            'arrival',
        ) as $row) {
            /** @var array{id: string, body: string} $event */
            $event = (array) $row;

            yield Event::idOf($event['id'], $event['body']);
        }
    }

    /** @return list<string> ids that arrived in the file, in the order of arrival, intact */
    public function lines(): array
    {
        $ids = [];

        foreach ($this->linesOf("{$this->directory}/{$this->file}") as $line) {
            /** @var array{id: string, body: string} $row */
            $row = json_decode($line, true, 4, JSON_THROW_ON_ERROR);
            $ids[] = Event::idOf($row['id'], $row['body']);
        }

        return $ids;
    }

    /** @return list<string> ids of the deliveries that the file was to receive, in order */
    public function deliveries(): array
    {
        return $this->linesOf("{$this->directory}/{$this->file}.deliveries");
    }

    /** @return list<string> */
    public function logged(): array
    {
        return $this->linesOf("{$this->directory}/log");
    }

    /** @return list<string> */
    public function dispatched(): array
    {
        return $this->linesOf("{$this->directory}/dispatched");
    }

    /** @return list<string> */
    private function linesOf(string $path): array
    {
        $content = is_file($path) ? trim((string) file_get_contents($path)) : '';

        return $content === '' ? [] : explode("\n", $content);
    }
}
