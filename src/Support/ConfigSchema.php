<?php

declare(strict_types=1);

namespace Headroom\Support;

use BackedEnum;

/**
 * The settings of one section of a configuration, each declared once: all that read the section ask here for types,
 * bounds and defaults, and docs/configuration.md is compared with it.
 *
 * @phpstan-type Key array{type: 'int'|'bool'|'mode'|'text'|'choice'|'section'|'mixed', default?: int|string|bool|null, min?: int, max?: int, of?: class-string<BackedEnum>|list<string>, unit?: string}
 */
final readonly class ConfigSchema
{
    /**
     * @param array<string, Key> $keys by name; `of` is an enum, or the values of a choice
     * @param array<string, string> $renamed the new name of a key, by the old one
     */
    public function __construct(public array $keys, public array $renamed = []) {}

    /** @return list<string> */
    public function names(): array
    {
        return array_map(strval(...), array_keys($this->keys));
    }

    /** @throws InvalidConfig */
    public function refuseUnknown(ConfigReader $options): void
    {
        $this->refuseRenamed($options);
        $options->only($this->names());
    }

    /** @throws InvalidConfig */
    public function refuseRenamed(ConfigReader $options): void
    {
        foreach ($this->renamed as $old => $new) {
            if ($options->has($old)) {
                throw InvalidConfig::renamed($options->key($old), $options->any($old, ''), $new);
            }
        }
    }

    /**
     * All that is set here and is declared with bounds or as a choice.
     *
     * @throws InvalidConfig
     */
    public function check(ConfigReader $options): void
    {
        foreach ($this->keys as $name => $key) {
            match ($options->has($name) ? $key['type'] : 'mixed') {
                'int' => $this->int($options, $name),
                'bool' => $this->bool($options, $name),
                'mode' => $this->mode($options, $name),
                'choice' => $this->choice($options, $name),
                'text', 'section', 'mixed' => null,
            };
        }
    }

    /**
     * @return int<0, max>
     *
     * @throws InvalidConfig
     */
    public function int(ConfigReader $options, string $name): int
    {
        $key = $this->keys[$name];

        return max(0, $options->int($name, $key['min'] ?? 0, $key['max'] ?? PHP_INT_MAX, is_int($key['default'] ?? null) ? $key['default'] : null));
    }

    /**
     * @return ?int<1, max> null when it is not set
     *
     * @throws InvalidConfig
     */
    public function optionalInt(ConfigReader $options, string $name): ?int
    {
        return $options->has($name) ? max(1, $this->int($options, $name)) : null;
    }

    /** @throws InvalidConfig */
    public function bool(ConfigReader $options, string $name): bool
    {
        return $options->bool($name, ($this->keys[$name]['default'] ?? null) === true);
    }

    /** @throws InvalidConfig */
    public function mode(ConfigReader $options, string $name): int
    {
        $key = $this->keys[$name];
        $least = $key['min'] ?? 0;

        return $options->mode($name, $least, $key['max'] ?? 0777, $least);
    }

    /** @throws InvalidConfig */
    public function choice(ConfigReader $options, string $name): string
    {
        $key = $this->keys[$name];
        $of = $key['of'] ?? [];

        return $options->oneOf($name, is_array($of) ? $of : array_map(strval(...), array_column($of::cases(), 'value')), (string) ($key['default'] ?? ''));
    }
}
