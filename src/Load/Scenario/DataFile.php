<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\InvalidPlan;

/**
 * The rows of a CSV file. Each iteration takes the next one; after the last row, the first follows.
 *
 * @internal
 */
final readonly class DataFile
{
    private const MOST_ROWS = 100_000;

    /** An unclosed quotation mark makes one field of the rest of the file. */
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
                'a CSV file that this user may read; a relative path starts at the directory of the scenario',
            );
        }

        if (filesize($file) > self::MOST_BYTES) {
            fclose($stream);

            throw InvalidPlan::data(
                $file,
                'has '.filesize($file).' bytes',
                'a file of at most '.self::MOST_BYTES.' bytes, because its rows are kept in memory',
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
        // Skipped before the first name is read: after a byte order mark, a quotation mark would
        // not begin a quoted field.
        if (fread($stream, strlen(self::BYTE_ORDER_MARK)) !== self::BYTE_ORDER_MARK) {
            rewind($stream);
        }

        $columns = self::fields($stream) ?? [];
        $rows = [];

        foreach ($columns as $i => $column) {
            if (! VariableName::isValid($column) || array_search($column, $columns, true) !== $i) {
                throw InvalidPlan::data(
                    $file,
                    "names a column '{$column}'",
                    'a file whose first line has unique names of letters, digits and _, other than n, uuid and random',
                );
            }
        }

        while (($row = self::fields($stream)) !== null) {
            if (count($row) !== count($columns)) {
                throw InvalidPlan::data(
                    $file,
                    'has '.count($row).' fields in row '.(count($rows) + 1),
                    'a file with '.count($columns).' fields in each row, as in its first line',
                );
            }

            $rows[] = $row;

            if (count($rows) > self::MOST_ROWS) {
                throw InvalidPlan::data(
                    $file,
                    'has more than '.self::MOST_ROWS.' rows',
                    'a file with at most '.self::MOST_ROWS.' rows, because they are kept in memory',
                );
            }
        }

        return $rows === []
            ? throw InvalidPlan::data($file, 'has no row', 'a line of names and at least one row')
            : new self($columns, $rows);
    }

    /**
     * @param resource $stream
     * @return ?non-empty-list<string> null at the end of the file
     */
    private static function fields($stream): ?array
    {
        do {
            $fields = fgetcsv($stream, null, ',', '"', '');
            // fgetcsv() returns [null] for an empty line.
        } while ($fields === [null]);

        return is_array($fields) ? array_map(strval(...), $fields) : null;
    }
}
