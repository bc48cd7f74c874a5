<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

/**
 * What a server says of rows that it could not read. Its words quote them, so that only names and numbers are taken.
 *
 * @internal
 */
final readonly class RowErrors
{
    private function __construct(private int $code, private ?string $column, private ?int $row) {}

    public static function fromBody(int $code, string $body): self
    {
        $column = preg_match('/while read the value of key (\w{1,64})\b|Unknown field found while parsing JSONEachRow format: (\w{1,64})\b/', $body, $m) === 1 ? ($m[2] ?? $m[1]) : null;

        // The last one: what stands before may be of a row.
        return new self($code, $column, preg_match('/.*\(at row (\d{1,9})\)/s', $body, $m) === 1 ? (int) $m[1] : null);
    }

    /** @return ?int<0, max> which of the rows it was, if the server says so; from 0. A hint only: not all versions count alike */
    public function hint(): ?int
    {
        return $this->row === null || $this->row < 1 ? null : $this->row - 1;
    }

    public function reason(): string
    {
        return "exception {$this->code} of ClickHouse".match (true) {
            $this->column === null => ', it can not be read as a row of that table.',
            $this->code === 117 => ", the table has no column `{$this->column}`.",
            default => ", at the column `{$this->column}`.",
        }.' The server\'s own log says more.';
    }
}
