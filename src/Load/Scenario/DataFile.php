<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\InvalidPlan;

/**
 * Rows of which each iteration takes the next. After the last comes the first again.
 *
 * @internal
 */
final readonly class DataFile
{
    private const MOST_ROWS = 100_000;

    /** One quotation mark that is never closed makes one field of all that follows. */
    private const MOST_BYTES = 16_777_216;

    private const BYTE_ORDER_MARK = "\xEF\xBB\xBF";

    /**
     * @param list<string> $columns
     * @param non-empty-list<list<string>> $rows
     */
    private function __construct(public array $columns, private array $rows) {}

    /** @throws InvalidPlan */
    public static function read(string $file): self
    {
        $stream = is_file($file) ? @fopen($file, 'rb') : false;

        if ($stream === false) {
            throw InvalidPlan::data(
                $file,
                'cannot be read',
                'a CSV file that this user may read, next to the scenario or with its whole path',
            );
        }

        if (filesize($file) > self::MOST_BYTES) {
            fclose($stream);

            throw InvalidPlan::data(
                $file,
                'has '.filesize($file).' bytes',
                'a file of '.self::MOST_BYTES.' bytes or fewer, as its rows are kept in memory',
            );
        }

        try {
            return self::parse($file, $stream);
        } finally {
            fclose($stream);
        }
    }

    /** @return array<string, string> by column */
    public function row(int $number): array
    {
        return array_combine($this->columns, $this->rows[$number % count($this->rows)]);
    }

    /** @param resource $stream */
    private static function parse(string $file, $stream): self
    {
        // Before the first name is read: a quotation mark behind it would be no longer the first of the field.
        if (fread($stream, strlen(self::BYTE_ORDER_MARK)) !== self::BYTE_ORDER_MARK) {
            rewind($stream);
        }

        $columns = self::fields($stream) ?? [];
        $rows = [];

        foreach ($columns as $i => $column) {
            if (! Names::isOne($column) || array_search($column, $columns, true) !== $i) {
                throw InvalidPlan::data(
                    $file,
                    "names a column '{$column}'",
                    'a first line of names, each of letters, digits and _, and each once',
                );
            }
        }

        while (($row = self::fields($stream)) !== null) {
            if (count($row) !== count($columns)) {
                throw InvalidPlan::data(
                    $file,
                    'has '.count($row).' fields in row '.(count($rows) + 1),
                    'rows of '.count($columns).' fields, as many as the first line names',
                );
            }

            $rows[] = $row;

            if (count($rows) > self::MOST_ROWS) {
                throw InvalidPlan::data(
                    $file,
                    'has more than '.self::MOST_ROWS.' rows',
                    'a shorter file, as its rows are kept in memory',
                );
            }
        }

        return $rows === []
            ? throw InvalidPlan::data($file, 'has no row', 'a line of names and a row or more')
            : new self($columns, $rows);
    }

    /**
     * @param resource $stream
     * @return ?non-empty-list<string> null at the end
     */
    private static function fields($stream): ?array
    {
        do {
            $fields = fgetcsv($stream, null, ',', '"', '');
            // An empty line is one field that is null.
        } while ($fields === [null]);

        return is_array($fields) ? array_map(strval(...), $fields) : null;
    }
}
