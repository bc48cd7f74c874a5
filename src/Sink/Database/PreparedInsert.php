<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use PDO;
use PDOException;
use PDOStatement;

/**
 * One multi-row insert as the server knows it, kept for the next rows of the same shape.
 *
 * @internal
 */
final readonly class PreparedInsert
{
    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     */
    private function __construct(private PDO $pdo, private PDOStatement $statement, private array $columns, private int $rows) {}

    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     */
    public static function make(PDO $pdo, string $sql, array $columns, int $rows): self
    {
        return new self($pdo, $pdo->prepare($sql), $columns, $rows);
    }

    /** @param non-empty-list<string> $columns */
    public function fits(PDO $pdo, array $columns, int $rows): bool
    {
        return $this->rows === $rows && $this->columns === $columns && $this->pdo === $pdo;
    }

    /** @param list<string|int|float|null|resource> $bindings */
    public function execute(array $bindings): void
    {
        $number = 0;

        foreach ($bindings as $value) {
            $this->statement->bindValue(++$number, $value, match (true) {
                is_string($value) => PDO::PARAM_STR,
                is_int($value) => PDO::PARAM_INT,
                is_resource($value) => PDO::PARAM_LOB,
                default => PDO::PARAM_STR,
            });
        }

        // A connection may be set to fail without a word; the ledger must not move then.
        if (! $this->statement->execute()) {
            $error = new PDOException('the statement failed, and the connection is set to say nothing of errors (PDO::ATTR_ERRMODE)');
            $error->errorInfo = $this->statement->errorInfo();

            throw $error;
        }
    }
}
