<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Spool\Monitoring\PeekedEvent;
use Headroom\Support\Utf8Cut;

/**
 * Formats an event for a terminal. Its values come from outside, so control sequences and characters that change the
 * writing direction are escaped, and long values are cut.
 *
 * @internal
 */
final readonly class EventFormatter
{
    private const MAX_BYTES = 200;

    /** @param int $now microseconds since the Unix epoch */
    public function __construct(private int $now) {}

    /** @return list<string> */
    public function lines(PeekedEvent $event): array
    {
        $lines = [
            self::plain($event->place).' '.($event->isSealed ? 'sealed' : 'active')
                .($event->acceptedAt === 0 ? '' : ", {$this->age($event)}, accepted ".self::time($event->acceptedAt)),
        ];

        if ($event->error !== null) {
            $lines[] = '  ! '.self::plain($event->error);
        }

        foreach ($event->values as $column => $value) {
            $lines[] = '  '.$this->cut(self::plain(self::head($column)), strlen($column)).': '.$this->value($value);
        }

        return $lines;
    }

    /** @return array<string, mixed> values are not cut, since a program reads them */
    public function document(PeekedEvent $event): array
    {
        return [
            'place' => $event->place,
            'id' => $event->id,
            'state' => $event->isSealed ? 'sealed' : 'active',
            'accepted_at' => $event->acceptedAt === 0 ? null : self::time($event->acceptedAt),
            'age_seconds' => $event->acceptedAt === 0 ? null : $this->seconds($event),
            'values' => (object) array_map(self::member(...), $event->values),
            'error' => $event->error,
        ];
    }

    private static function member(mixed $value): mixed
    {
        return match (true) {
            $value instanceof Bytes => mb_check_encoding($value->value, 'UTF-8')
                ? $value->value
                : ['base64' => base64_encode($value->value)],
            $value instanceof Json => ['json' => $value->text],
            $value instanceof DateTimeImmutable => $value->format('Y-m-d\TH:i:s.uP'),
            default => $value,
        };
    }

    private function value(mixed $value): string
    {
        return match (true) {
            $value instanceof Bytes => $this->quoted($value->value),
            $value instanceof Json => $this->cut(self::harmless(self::head($value->text)), strlen($value->text)),
            $value instanceof DateTimeImmutable => $value->format('Y-m-d H:i:s.uP'),
            is_string($value) => $this->quoted($value),
            default => (string) json_encode($value, JSON_PRESERVE_ZERO_FRACTION),
        };
    }

    private function quoted(string $text): string
    {
        return $this->cut('"'.str_replace('"', '\"', self::plain(self::head($text))).'"', strlen($text));
    }

    private function cut(string $text, int $bytes): string
    {
        return $bytes > self::MAX_BYTES ? "{$text} ... (".number_format($bytes).' bytes)' : $text;
    }

    /** Never cuts in the middle of a character. */
    private static function head(string $text): string
    {
        return mb_check_encoding($text, 'UTF-8')
            ? Utf8Cut::cut($text, self::MAX_BYTES)
            : substr($text, 0, self::MAX_BYTES);
    }

    private static function plain(string $text): string
    {
        return self::harmless(str_replace('\\', '\\\\', $text));
    }

    private static function harmless(string $text): string
    {
        return mb_check_encoding($text, 'UTF-8')
            ? (string) preg_replace_callback(
                '/[\p{C}\p{Zl}\p{Zp}]/u',
                static fn (array $m): string => sprintf('\u{%X}', mb_ord($m[0], 'UTF-8')),
                $text,
            )
            : (string) preg_replace_callback(
                '/[^\x20-\x7E]/',
                static fn (array $m): string => sprintf('\x%02X', ord($m[0])),
                $text,
            );
    }

    private function age(PeekedEvent $event): string
    {
        $seconds = (int) $this->seconds($event);

        return match (true) {
            $seconds < 120 => "{$seconds} s old",
            $seconds < 7200 => intdiv($seconds, 60).' min old',
            $seconds < 172_800 => intdiv($seconds, 3600).' h old',
            default => intdiv($seconds, 86_400).' days old',
        };
    }

    private function seconds(PeekedEvent $event): float
    {
        return max(0.0, ($this->now - $event->acceptedAt) / 1_000_000);
    }

    private static function time(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }
}
