<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\Path;

/**
 * Lists the files in one of a bucket's directories by the form of their names. Files that the buffer did not create are
 * left alone. A missing directory counts as empty. A directory that cannot be listed throws, because its segments would
 * otherwise be taken for missing.
 *
 * @internal
 */
final readonly class DirectoryListing
{
    public function __construct(private string $path, private bool $mayBeHidden = false) {}

    /** For callers that only read, and report in another way that this user may not list the directory. */
    public static function asSeen(string $path): self
    {
        return new self($path, true);
    }

    /** @return list<string> names of active segments, in ascending order */
    public function activeSegments(): array
    {
        return array_values(array_filter($this->names(), self::isActiveSegment(...)));
    }

    /** @return list<int<1, max>> sequence numbers, in ascending order */
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

    /** @return list<string> names of files that the buffer did not create */
    public function foreign(): array
    {
        return array_values(array_filter(
            $this->names(),
            static fn (string $name): bool => ! self::isActiveSegment($name)
                && self::segment($name) === null
                && preg_match('/\A\d{20}-\d{20}\.bin\z/', $name) !== 1,
        ));
    }

    /**
     * @return list<string>
     *
     * @throws UnableToFlush when the directory cannot be listed
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

    /**
     * @return ?int<1, max> null also for a number from PHP_INT_MAX on: PHP would read a greater one as PHP_INT_MAX, and
     *     the number after PHP_INT_MAX would be a float
     */
    private static function segment(string $name): ?int
    {
        return preg_match('/\A(\d{20})\.seg\z/', $name, $m) === 1
                && (int) $m[1] > 0
                && (int) $m[1] < PHP_INT_MAX
                && Layout::segmentName((int) $m[1]) === $name
            ? max(1, (int) $m[1])
            : null;
    }

    private static function isActiveSegment(string $name): bool
    {
        return preg_match('/\Au\d+-\d{4}\.log\z/', $name) === 1;
    }
}
