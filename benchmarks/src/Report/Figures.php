<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use JsonException;
use Opis\JsonSchema\Errors\ErrorFormatter;
use Opis\JsonSchema\Helper;
use Opis\JsonSchema\Validator;

/**
 * A results file, or a value in it. A pointer names a value: keys with `/` between them, `~1` for a slash within a key,
 * and `key=value` for the row of a list that has this value.
 *
 * A part of an experiment, a row, and a key with `?` behind it need not be there: all below it is "not measured". Each
 * other figure that a page asks for must be there.
 */
final readonly class Figures
{
    private const SCHEMA = __DIR__.'/../../../resources/schema/results.schema.json';

    private const MOST_BYTES = 20_000_000;

    private function __construct(
        private string $file,
        private string $at,
        private mixed $value,
        public bool $isMeasured = true,
    ) {}

    /** @param string $file that the value comes from */
    public static function of(string $file, mixed $value): self
    {
        return new self($file, '', $value);
    }

    /** @throws UnableToReport */
    public static function read(string $path, string $experiment): self
    {
        if (! is_file($path)) {
            return new self($path, '', null, false);
        }

        $text = filesize($path) > self::MOST_BYTES ? false : @file_get_contents($path);
        $text !== false
            || throw UnableToReport::because($path, 'it cannot be read, or has more than '.self::MOST_BYTES.' bytes');

        try {
            $value = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException $e) {
            throw UnableToReport::because($path, "it is not JSON ({$e->getMessage()})");
        }

        $error = (new Validator)->validate(Helper::toJSON($value), (string) file_get_contents(self::SCHEMA))->error();

        if ($error !== null) {
            $mistakes = (new ErrorFormatter)->format($error);
            $where = (string) array_key_first($mistakes);

            throw UnableToReport::because($path, "{$where}: ".implode(' ', array_map(strval(...), $mistakes[$where])));
        }

        $figures = new self($path, '', $value);
        $name = $figures->text('experiment');

        return $name === $experiment
            ? $figures
            : throw UnableToReport::because($path, "its experiment is '{$name}' and not '{$experiment}'");
    }

    public function has(string $key): bool
    {
        return is_array($this->value) && isset($this->value[$key]);
    }

    public function raw(): mixed
    {
        return $this->value;
    }

    /** @throws UnableToReport */
    public function at(string $pointer): self
    {
        $value = $this->value;
        $at = $this->at;

        foreach ($pointer === '' ? [] : explode('/', $pointer) as $key) {
            [$above, $at] = [$at, ltrim("{$at}/{$key}", '/')];

            // Measured, and without such a value: no run was valid, for one.
            if ($value === null) {
                return new self($this->file, $at, null, $this->isMeasured);
            }

            is_array($value) || throw UnableToReport::because($this->file, "{$above} has nothing in it");
            [$isThere, $value] = self::step($value, rtrim($key, '?'));

            if (! $isThere) {
                return $above === 'parts' || str_contains($key, '=') || str_ends_with($key, '?')
                    ? new self($this->file, $at, null, false)
                    : throw UnableToReport::because($this->file, "{$at} is not there");
            }
        }

        return new self($this->file, $at, $value, $this->isMeasured);
    }

    /** @throws UnableToReport */
    public function number(string $pointer = ''): ?float
    {
        $found = $this->at($pointer);
        $value = is_bool($found->value) ? (int) $found->value : $found->value;

        return $value === null || is_int($value) || is_float($value)
            ? ($value === null ? null : (float) $value)
            : throw UnableToReport::because($this->file, "{$found->at} is not a number");
    }

    /** @throws UnableToReport */
    public function text(string $pointer = ''): string
    {
        $found = $this->at($pointer);

        return match (true) {
            is_string($found->value) => $found->value,
            is_bool($found->value) => $found->value ? 'yes' : 'no',
            is_int($found->value), is_float($found->value) => (string) $found->value,
            $found->value === null => '–',
            default => implode(', ', array_map(static fn (self $one): string => $one->text(), $found->entries())),
        };
    }

    /**
     * @return array<array-key, self>
     * @throws UnableToReport
     */
    public function entries(string $pointer = ''): array
    {
        $found = $this->at($pointer);
        $found->value === null
            || is_array($found->value)
            || throw UnableToReport::because($this->file, "{$found->at} is not a list");
        $entries = [];

        foreach ((array) $found->value as $key => $value) {
            $entries[$key] = new self($this->file, "{$found->at}/{$key}", $value);
        }

        return $entries;
    }

    /**
     * @param array<array-key, mixed> $value
     * @return array{bool, mixed} whether it is there, and what it is
     */
    private static function step(array $value, string $key): array
    {
        if (! str_contains($key, '=') || ! array_is_list($value)) {
            $name = self::key($key);

            return [array_key_exists($name, $value), $value[$name] ?? null];
        }

        [$name, $wanted] = explode('=', self::key($key), 2);

        foreach ($value as $row) {
            if (is_array($row) && (string) ($row[$name] ?? '') === $wanted) {
                return [true, $row];
            }
        }

        return [false, null];
    }

    private static function key(string $escaped): string
    {
        return strtr($escaped, ['~1' => '/', '~0' => '~']);
    }
}
