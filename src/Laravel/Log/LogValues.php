<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use Closure;
use DateTimeInterface;
use Headroom\Spool\Encoding\StructuredValue;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;
use JsonSerializable;
use Stringable;
use Throwable;
use UnitEnum;

/**
 * Converts logged values to values that JSON can hold, within a number of bytes. It never fails: square brackets name a
 * value that JSON cannot hold, and mark where text was cut.
 *
 * @internal
 */
final class LogValues
{
    private const DEPTH = 8;

    private const ITEMS = 1_000;

    private const FRAMES = 50;

    private const PREVIOUS = 5;

    /** A Lucene term, which OpenSearch and Elasticsearch store for each value, has at most 32,766 bytes. */
    private const TEXT_BYTES = 16_384;

    private const KEY_BYTES = 200;

    /** Bytes of a value's quotes, colon and comma; JSON within JSON escapes the quotes once more. */
    private const OVERHEAD = 8;

    /** @var array<int, true> objects that are being converted, by id */
    private array $within = [];

    /** @param int $left bytes that are left */
    public function __construct(private int $left) {}

    public function text(string $text, int $most = self::TEXT_BYTES): string
    {
        $bytes = strlen($text);
        $most = max(0, min($most, $this->left));

        if ($bytes > $most) {
            $text = Utf8Cut::cut($text, $most)."[cut: {$bytes} bytes]";
        }

        if (! mb_check_encoding($text, 'UTF-8')) {
            $text = StructuredValue::scrub($text);
        }

        $this->left -= strlen($text) + self::OVERHEAD;

        return $text;
    }

    /**
     * @param array<array-key, mixed> $values
     * @return array<array-key, mixed>
     */
    public function members(array $values, int $depth = 1): array
    {
        $members = [];

        foreach ($values as $key => $value) {
            $left = count($values) - count($members);

            if ($this->left <= 0 || count($members) >= self::ITEMS) {
                $members['…'] = "[cut: {$left} of ".count($values).' values]';

                break;
            }

            $members[$this->key($key, $members)] = $this->value($value, $depth);
        }

        return $members;
    }

    private function value(mixed $value, int $depth): mixed
    {
        $this->left -= self::OVERHEAD;

        return match (true) {
            $value === null, is_bool($value), is_int($value) => $value,
            is_float($value) => is_finite($value) ? $value : (is_nan($value) ? 'NAN' : ($value > 0 ? 'INF' : '-INF')),
            is_string($value) => $this->text($value),
            is_array($value) => $depth < self::DEPTH
                ? $this->members($value, $depth + 1)
                : '[array of '.count($value).', too deep]',
            is_object($value) => $this->object($value, $depth),
            default => '['.get_debug_type($value).']',
        };
    }

    private function object(object $value, int $depth): mixed
    {
        $class = $this->text(get_debug_type($value), self::KEY_BYTES);
        $id = spl_object_id($value);

        if (isset($this->within[$id]) || $depth >= self::DEPTH) {
            return isset($this->within[$id]) ? "[{$class}, within itself]" : "[{$class}, too deep]";
        }

        $this->within[$id] = true;

        try {
            return match (true) {
                $value instanceof DateTimeInterface => $value->format('Y-m-d\TH:i:s.uP'),
                $value instanceof Throwable => $this->throwable($value, $depth),
                $value instanceof UnitEnum => $this->value(StructuredValue::ofEnum($value), $depth),
                $value instanceof Closure => "[{$class}]",
                $value instanceof JsonSerializable => $this->value($value->jsonSerialize(), $depth + 1),
                $value instanceof Stringable => $this->text((string) $value),
                default => $this->properties($value, $class, $depth),
            };
        } catch (Throwable $e) {
            return "[{$class}, which threw {$this->text(get_debug_type($e).': '.$e->getMessage(), self::KEY_BYTES)}]";
        } finally {
            unset($this->within[$id]);
        }
    }

    private function properties(object $value, string $class, int $depth): mixed
    {
        $properties = get_object_vars($value);

        return $properties === [] && get_debug_type($value) !== 'stdClass'
            ? "[{$class}]"
            : $this->members($properties, $depth + 1);
    }

    /** @return array<string, mixed> */
    private function throwable(Throwable $e, int $depth): array
    {
        $previous = $e->getPrevious();

        return [
            'class' => $this->text(get_debug_type($e), self::KEY_BYTES),
            'message' => $this->text($e->getMessage()),
            // The code of a PDOException is a string.
            'code' => $this->value($e->getCode(), $depth),
            'file' => $this->text($e->getFile()),
            'line' => $e->getLine(),
            'trace' => $this->trace($e),
            ...($previous === null
                ? []
                : [
                    'previous' => $depth <= self::PREVIOUS
                        ? $this->object($previous, $depth + 1)
                        : '['.get_debug_type($previous).', too deep]',
                ]),
        ];
    }

    /**
     * Without arguments, because they may contain passwords.
     *
     * @return list<string>
     */
    private function trace(Throwable $e): array
    {
        $trace = $e->getTrace();
        $frames = [];

        foreach (array_slice($trace, 0, self::FRAMES) as $number => $frame) {
            if ($this->left <= 0) {
                break;
            }

            $place = isset($frame['file']) ? "{$frame['file']}:".($frame['line'] ?? 0) : '[internal]';
            $frames[] = $this->text(
                "{$place} ".($frame['class'] ?? '').($frame['type'] ?? '').$frame['function'].'()',
                1_000,
            );
        }

        return count($frames) < count($trace)
            ? [...$frames, '[cut: '.(count($trace) - count($frames)).' frames]']
            : $frames;
    }

    /** @param array<array-key, mixed> $taken */
    private function key(int|string $key, array $taken): int|string
    {
        if (is_int($key)) {
            return $key;
        }

        // An index rejects an empty name, and PHP drops a property whose name begins with a NUL.
        $name = $key === '' ? '_' : TerminalText::line($this->text($key, self::KEY_BYTES));

        while (isset($taken[$name])) {
            $name .= '_';
        }

        return $name;
    }
}
