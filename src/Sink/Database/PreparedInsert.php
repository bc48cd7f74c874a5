<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use PDO;
use PDOException;
use PDOStatement;

use function is_float;
use function is_int;
use function is_resource;

/**
 * One multi-row insert as the server knows it, kept for the next rows of the same shape.
 *
 * Its parameters are bound by reference, so that the next rows are assigned only: binding is half of what PHP does for a row.
 *
 * @internal
 */
final class PreparedInsert
{
    /** @var array<int, mixed> what the parameters refer to */
    private array $values = [];

    /** @var array<int, int> as which type each is bound; none for a stream, which is bound by value */
    private array $types = [];

    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     */
    private function __construct(private readonly PDO $pdo, private readonly PDOStatement $statement, private readonly array $columns, private readonly int $rows) {}

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
        foreach ($bindings as $i => $value) {
            if (is_resource($value)) {
                $this->statement->bindValue($i + 1, $value, PDO::PARAM_LOB);
                unset($this->types[$i]);

                continue;
            }

            // Null is null as any type.
            $type = $value === null ? $this->types[$i] ?? PDO::PARAM_STR : (is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);

            if (($this->types[$i] ?? null) !== $type) {
                $this->values[$i] = null;
                $this->statement->bindParam($i + 1, $this->values[$i], $type);
                $this->types[$i] = $type;
            }

            // As bindValue() would make it; a driver may send a float as what it is otherwise.
            $this->values[$i] = is_float($value) ? (string) $value : $value;
        }

        // A connection may be set to fail without a word; the ledger must not move then.
        if (! $this->statement->execute()) {
            $error = new PDOException('the statement failed, and the connection is set to say nothing of errors (PDO::ATTR_ERRMODE)');
            $error->errorInfo = $this->statement->errorInfo();

            throw $error;
        }
    }
}
