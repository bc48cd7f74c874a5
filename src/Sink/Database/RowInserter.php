<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Record;
use Illuminate\Database\Connection;

/**
 * Multi-row inserts. Rows are grouped by their columns and never padded, so that a column's default keeps working.
 *
 * @internal
 */
final readonly class RowInserter
{
    /** Below what the protocols (65,535) and SQLite (32,766) take. */
    private const MAX_BINDINGS = ['sqlite' => 32_000, 'default' => 65_000];

    /** Well below the smallest default of max_allowed_packet, 16 MiB. */
    private const MAX_BYTES = 4_194_304;

    public function __construct(private Connection $connection, private string $table) {}

    public function insert(Batch $batch): void
    {
        $groupOf = [];
        $groups = [];

        foreach ($batch->records as $record) {
            $columns = array_keys($record->values);
            $key = implode("\0", $columns);

            // The same columns in another order are the same group.
            $group = $groupOf[$key] ??= $this->sorted($columns);
            $groups[$group][] = $record;
        }

        foreach ($groups as $group => $records) {
            $this->insertGroup(explode("\0", $group), $records);
        }
    }

    /** @param list<string> $columns */
    private function sorted(array $columns): string
    {
        sort($columns);

        return implode("\0", $columns);
    }

    /**
     * @param non-empty-list<string> $columns
     * @param non-empty-list<Record> $records
     */
    private function insertGroup(array $columns, array $records): void
    {
        $maxRows = max(1, intdiv(self::MAX_BINDINGS[$this->connection->getDriverName()] ?? self::MAX_BINDINGS['default'], count($columns)));
        [$bindings, $rows, $bytes] = [[], 0, 0];

        foreach ($records as $record) {
            foreach ($columns as $column) {
                $value = $this->bindable($record->values[$column]);
                $bindings[] = $value;
                $bytes += is_string($value) ? strlen($value) : 8;
            }

            if (++$rows === $maxRows || $bytes >= self::MAX_BYTES) {
                $this->execute($columns, $rows, $bindings);
                [$bindings, $rows, $bytes] = [[], 0, 0];
            }
        }

        if ($rows > 0) {
            $this->execute($columns, $rows, $bindings);
        }
    }

    private function bindable(mixed $value): mixed
    {
        return match (true) {
            $value instanceof Json => $value->text,
            // PostgreSQL reads a parameter as text up to the first NUL; the hex form is how text becomes bytea.
            $value instanceof Bytes => $this->connection->getDriverName() === 'pgsql' ? '\x'.bin2hex($value->value) : $value->value,
            default => $value,
        };
    }

    /**
     * @param list<string> $columns
     * @param int<1, max> $rows
     * @param list<mixed> $bindings scalars, null and dates, which the connection formats as its grammar does
     */
    private function execute(array $columns, int $rows, array $bindings): void
    {
        $grammar = $this->connection->getQueryGrammar();
        $row = '('.implode(', ', array_fill(0, count($columns), '?')).')';

        $this->connection->insert(
            'insert into '.$grammar->wrapTable($this->table).' ('.$grammar->columnize($columns).') values '.implode(', ', array_fill(0, $rows, $row)),
            $bindings,
        );
    }
}
