<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * When a file is rotated, and how many rotated files are kept.
 *
 * @internal
 */
final readonly class Rotation
{
    private const DAILY = 'daily';

    private const FACTORS = ['' => 1, 'K' => 1024, 'M' => 1_048_576, 'G' => 1_073_741_824];

    /** 1 TiB. */
    private const MAX_BYTES = 1_099_511_627_776;

    /**
     * @param ?int<1, max> $bytes size above which the file is rotated; null rotates it each day
     * @param ?int<1, max> $keep number of rotated files to keep; null keeps all
     */
    public function __construct(public ?int $bytes, public bool $gzip = false, public ?int $keep = null) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $options): ?self
    {
        $isAsked = in_array('rotate', $options->keys(), true);

        if (! $isAsked) {
            foreach (array_intersect(['gzip', 'keep'], $options->keys()) as $name) {
                throw InvalidConfig::missing(
                    "{$options->path}.rotate",
                    "a size such as '64M', or 'daily': '{$name}' applies only to rotated files",
                );
            }

            return null;
        }

        $gzip = $options->bool('gzip', false);

        if ($gzip && ! function_exists('deflate_init')) {
            throw InvalidConfig::notAllowed(
                "{$options->path}.gzip",
                true,
                'false where PHP has no zlib extension, as here',
            );
        }

        return new self(
            self::bytes($options),
            $gzip,
            in_array('keep', $options->keys(), true) ? $options->int('keep', 1, 100_000, 1) : null,
        );
    }

    /** @return ?int<1, max> */
    private static function bytes(ConfigReader $options): ?int
    {
        $text = $options->scalar('rotate');

        if ($text === self::DAILY) {
            return null;
        }

        $bytes = preg_match('/\A(\d{1,12})([KMG]?)\z/', $text, $m) === 1 ? (int) $m[1] * self::FACTORS[$m[2]] : 0;

        return $bytes >= 1024 && $bytes <= self::MAX_BYTES
            ? $bytes
            : throw InvalidConfig::notAllowed(
                "{$options->path}.rotate",
                $text,
                "a size from 1K to 1024G, such as '64M', or 'daily'",
            );
    }

    /**
     * @param array{size: int, mtime: int} $stat of the current file
     * @param int $more bytes that are about to be appended
     * @param int $now seconds since the Unix epoch
     */
    public function isDue(array $stat, int $more, int $now): bool
    {
        return $stat['size'] > 0
            && ($this->bytes === null
                ? date('Y-m-d', $stat['mtime']) !== date('Y-m-d', $now)
                : $this->bytes < $stat['size'] + $more);
    }
}
