<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * How a row is merged into an existing row with the same key: its columns overwrite (upsert) or are added (aggregate).
 *
 * @internal
 */
final readonly class ConflictResolution
{
    private const OWN_KEYS = [
        'upsert' => ['unique', 'update', 'newer'],
        'aggregate' => ['unique', 'sum', 'max', 'min'],
    ];

    /**
     * @param non-empty-list<string> $unique
     * @param ?list<string> $update columns that are overwritten; null means all that are not in $unique
     * @param ?string $newer the row with the greater value in this column wins
     * @param list<string> $sum empty in an upsert
     * @param list<string> $max
     * @param list<string> $min
     */
    private function __construct(
        public array $unique,
        public ?array $update = null,
        public ?string $newer = null,
        public array $sum = [],
        public array $max = [],
        public array $min = [],
    ) {}

    /**
     * @return ?self null in mode insert, in which the database rejects a row with an existing key
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(ConfigReader $options): ?self
    {
        $mode = $options->oneOf('mode', ['insert', ...array_keys(self::OWN_KEYS)], 'insert');
        $options->only(['table', 'connection', 'mode', ...self::OWN_KEYS[$mode] ?? []]);

        return match ($mode) {
            'upsert' => self::upsert($options),
            'aggregate' => self::aggregate($options),
            default => null,
        };
    }

    public function isAggregate(): bool
    {
        return $this->sum !== [];
    }

    public function mode(): string
    {
        return $this->isAggregate() ? 'aggregate' : 'upsert';
    }

    private static function upsert(ConfigReader $options): self
    {
        $unique = self::unique($options);
        $update = $options->names('update');
        $newer = $options->optionalString('newer');
        self::assertDisjoint($options, 'update', $update ?? [], $unique, 'unique');
        self::assertDisjoint($options, 'newer', $newer === null ? [] : [$newer], $unique, 'unique');

        // The statement must update $newer too. Otherwise later rows would be compared with the value of the first row.
        return new self(
            $unique,
            $newer === null || $update === null ? $update : array_values(array_unique([...$update, $newer])),
            $newer,
        );
    }

    private static function aggregate(ConfigReader $options): self
    {
        $unique = self::unique($options);
        $taken = ['unique' => $unique];

        foreach (['sum', 'max', 'min'] as $what) {
            $columns = $options->names($what) ?? [];

            foreach ($taken as $other => $names) {
                self::assertDisjoint($options, $what, $columns, $names, $other);
            }

            $taken[$what] = $columns;
        }

        return $taken['sum'] === []
            ? throw InvalidConfig::missing("{$options->path}.sum", "the columns to add up, such as ['calls']")
            : new self($unique, sum: $taken['sum'], max: $taken['max'], min: $taken['min']);
    }

    /** @return non-empty-list<string> */
    private static function unique(ConfigReader $options): array
    {
        $unique = $options->names('unique') ?? [];

        return $unique === []
            ? throw InvalidConfig::missing(
                "{$options->path}.unique",
                "the columns of a unique index of the table, such as ['id']",
            )
            : $unique;
    }

    /**
     * @param list<string> $columns
     * @param list<string> $others
     */
    private static function assertDisjoint(
        ConfigReader $options,
        string $name,
        array $columns,
        array $others,
        string $where,
    ): void {
        foreach (array_intersect($columns, $others) as $column) {
            throw InvalidConfig::notAllowed("{$options->path}.{$name}", $column, "without the columns of '{$where}'");
        }
    }
}
