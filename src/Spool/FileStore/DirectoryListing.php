<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\Path;

/**
 * What lies in one of a bucket's directories, told by name. What the buffer did not make is left alone. A directory that
 * is not there is empty; one that can not be listed is not, or its segments would be taken for gone.
 *
 * @internal
 */
final readonly class DirectoryListing
{
    public function __construct(private string $path, private bool $mayBeHidden = false) {}

    /** For those who only look, and tell in other words what is hidden from this user. */
    public static function asSeen(string $path): self
    {
        return new self($path, true);
    }

    /** @return list<string> names, the lowest slot first */
    public function slots(): array
    {
        return array_values(array_filter($this->names(), self::isSlot(...)));
    }

    /** @return list<int<1, max>> sequence numbers, rising */
    public function segments(): array
    {
        $numbers = [];

        foreach ($this->names() as $name) {
            $number = self::segment($name);

            if ($number !== null) {
                $numbers[] = $number;
            }
        }

        return $numbers;
    }

    /** @return list<string> names of files nobody here made */
    public function foreign(): array
    {
        return array_values(array_filter($this->names(), static fn (string $name): bool => ! self::isSlot($name)
            && self::segment($name) === null
            && preg_match('/\A\d{20}-\d{20}\.bin\z/', $name) !== 1));
    }

    /**
     * @return list<string>
     *
     * @throws UnableToFlush it can not be listed
     */
    public function names(): array
    {
        $reason = '';
        $names = FileOperation::run(fn (): array|false => scandir($this->path), $reason);

        if ($names === false && ! $this->mayBeHidden && ! Path::isAbsent($this->path)) {
            throw StorageUnavailable::notListed($this->path, $reason, Permissions::ownership($this->path));
        }

        return $names === false ? [] : array_values(array_diff($names, ['.', '..']));
    }

    /** @return ?int<1, max> null also for a number that PHP cannot count beyond: it would stand for another name, or the next one be a float */
    private static function segment(string $name): ?int
    {
        return preg_match('/\A(\d{20})\.seg\z/', $name, $m) === 1 && (int) $m[1] > 0 && (int) $m[1] < PHP_INT_MAX && Layout::segmentName((int) $m[1]) === $name ? max(1, (int) $m[1]) : null;
    }

    private static function isSlot(string $name): bool
    {
        return preg_match('/\Au\d+-\d{4}\.log\z/', $name) === 1;
    }
}
