<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Utf8;
use Headroom\Support\InvalidConfig;

use function is_float;
use function is_int;
use function is_numeric;
use function is_string;
use function random_int;

/**
 * Applies a bucket's options `sample` and `redact` to an event before it is encoded. Loaded only for buckets that set
 * one of them.
 *
 * @internal
 */
final readonly class EventFilter
{
    private const SCALE = 1_000_000_000;

    /** @param int $kept number of events to keep, out of SCALE */
    private function __construct(private int $kept, private ?Redaction $redaction) {}

    /**
     * @param string $path of the bucket in the configuration
     *
     * @throws InvalidConfig
     */
    public static function of(string $path, mixed $sample, mixed $redact, Utf8 $utf8): self
    {
        // A number from an environment variable is a string.
        $rate = is_string($sample) && is_numeric($sample) ? (float) $sample : $sample;

        if ($rate !== null && ((! is_float($rate) && ! is_int($rate)) || ! ($rate >= 0 && $rate <= 1))) {
            throw InvalidConfig::notAllowed(
                "{$path}.sample",
                $sample,
                'a number from 0 to 1: the share of events to keep',
            );
        }

        return new self(
            (int) round(($rate ?? 1) * self::SCALE),
            $redact === null || $redact === [] ? null : Redaction::of("{$path}.redact", $redact, $utf8),
        );
    }

    /** @return ?string the option that changes or drops events; null when the bucket sets no such option */
    public function alters(): ?string
    {
        return match (true) {
            $this->redaction !== null => 'redact',
            $this->kept < self::SCALE => 'sample',
            default => null,
        };
    }

    /**
     * @param array<array-key, mixed> $row
     * @return ?array<array-key, mixed> null when the event is not part of the sample
     *
     * @throws InvalidEvent when the event cannot be redacted
     */
    public function apply(array $row, string $bucket): ?array
    {
        // mt_rand() is not used: an application that seeds it would keep all events or none.
        if ($this->kept < self::SCALE && random_int(0, self::SCALE - 1) >= $this->kept) {
            return null;
        }

        return $this->redaction === null ? $row : $this->redaction->apply($row, $bucket);
    }
}
