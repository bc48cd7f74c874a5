<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

/**
 * The server's error for rows that it could not parse. The message quotes the rows, so only names and numbers are read
 * from it.
 *
 * @internal
 */
final readonly class RowErrors
{
    private const COLUMN = '/while read the value of key (\w{1,64})\b|'
        .'Unknown field found while parsing JSONEachRow format: (\w{1,64})\b/';

    private function __construct(private int $code, private ?string $column, private ?int $row) {}

    public static function fromBody(int $code, string $body): self
    {
        $column = preg_match(self::COLUMN, $body, $m) === 1 ? ($m[2] ?? $m[1]) : null;

        // Take the last match: earlier text may come from a row.
        return new self($code, $column, preg_match('/.*\(at row (\d{1,9})\)/s', $body, $m) === 1 ? (int) $m[1] : null);
    }

    /**
     * @return ?int<0, max> index of the row, if the server names it; a hint only, because versions count differently
     */
    public function hint(): ?int
    {
        return $this->row === null || $this->row < 1 ? null : $this->row - 1;
    }

    public function reason(): string
    {
        return "exception {$this->code} of ClickHouse".match (true) {
            $this->column === null => ', the row cannot be parsed for that table.',
            $this->code === 117 => ", the table has no column `{$this->column}`.",
            default => ", at the column `{$this->column}`.",
        }.' Check the log of that server.';
    }
}
