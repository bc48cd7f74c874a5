<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\DeadLetters;

use Headroom\Core\Position;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\Exceptions\DeadLetterUnreadable;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\DeadLetterStore;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;
use Headroom\Support\TerminalText;
use InvalidArgumentException;

/**
 * The directory dead/: one file per dead letter, named by the event's position; docs/spool-format.md, "Dead letters".
 *
 * Retrying or forgetting a dead letter leaves an empty file, a tombstone, for as long as the event is in the log: a
 * restored database asks for that position again, and must not receive the event.
 *
 * @internal
 */
final readonly class DeadLetterDirectory implements DeadLetterStore
{
    private const LETTER = '.json';

    private const TOMBSTONE = '.gone';

    /**
     * @param bool $isSeenOnly true for callers that only read: a directory that this user may not list then counts as
     *     empty
     */
    public function __construct(
        private string $directory,
        private Permissions $permissions,
        private bool $isSeenOnly = false,
    ) {}

    public function add(DeadLetter $letter): void
    {
        $path = $this->path($letter->position, self::LETTER);
        clearstatcache();

        if (! file_exists($path)) {
            $this->write($path, DeadLetterCodec::encode($letter));
        }
    }

    /** Keeps the letter, and leaves a tombstone so that a flush skips its event. */
    public function keepAndSkip(DeadLetter $letter): void
    {
        $this->add($letter);
        $this->writeTombstone($letter->position);
    }

    public function discardVoid(Position $cursor, bool $isResent): array
    {
        $dead = [];

        foreach ((new DirectoryListing($this->directory, $this->isSeenOnly))->names() as $name) {
            $position = substr($name, 0, 47);

            if (str_ends_with($name, '.new')) {
                @unlink("{$this->directory}/{$name}");
            } elseif ($position < $cursor->toString() || ! self::isPosition($position)) {
                continue;
            } elseif ($isResent || str_ends_with($name, self::TOMBSTONE)) {
                $dead[$position] = true;
            } elseif (
                str_ends_with($name, self::LETTER)
                && ! file_exists("{$this->directory}/{$position}".self::TOMBSTONE)
                && $this->isInLog((int) substr($position, 0, 20))
            ) {
                $this->remove("{$this->directory}/{$name}");
            }
        }

        return $dead;
    }

    /**
     * Whether the event's segment still exists. Otherwise the letter is the last copy of the event: a database was
     * restored after the segment had been cleaned.
     */
    private function isInLog(int $segment): bool
    {
        $bucket = dirname($this->directory);
        clearstatcache();

        return file_exists("{$bucket}/sealed/".Layout::segmentName($segment))
            || file_exists("{$bucket}/completed/".Layout::segmentName($segment));
    }

    public function before(Position $cursor): iterable
    {
        foreach ($this->positionsBefore($cursor) as $position) {
            yield $this->letter(Position::fromString($position));
        }
    }

    public function positionsBefore(Position $cursor): array
    {
        return array_values(array_filter(
            $this->positions(self::LETTER),
            static fn (string $position): bool => $position < $cursor->toString(),
        ));
    }

    public function at(array $positions): iterable
    {
        foreach ($positions as $text) {
            $position = self::isPosition($text) ? Position::fromString($text) : null;

            if ($position !== null && RegularFile::exists($this->path($position, self::LETTER))) {
                yield $this->letter($position);
            }
        }
    }

    private function letter(Position $position): DeadLetter|CorruptDeadLetter
    {
        try {
            return $this->read($this->path($position, self::LETTER));
        } catch (UnableToFlush $e) {
            return new CorruptDeadLetter($position, $e->getMessage());
        }
    }

    /** @return int<0, max> number of letters whose events are before the cursor */
    public function count(Position $cursor): int
    {
        return count($this->positionsBefore($cursor));
    }

    public function countTombstonesFrom(Position $cursor): int
    {
        return count(array_filter(
            $this->positions(self::TOMBSTONE),
            static fn (string $position): bool => $position >= $cursor->toString(),
        ));
    }

    /** Replaces the letter by a tombstone: its event is in the log again, or an operator has forgotten it. */
    public function replaceWithTombstone(Position $position): void
    {
        $this->writeTombstone($position);
        $this->remove($this->path($position, self::LETTER));
    }

    private function writeTombstone(Position $position): void
    {
        $tombstone = $this->path($position, self::TOMBSTONE);
        clearstatcache();

        if (! file_exists($tombstone)) {
            $this->write($tombstone, '');
        }
    }

    /** Removes the tombstones of events that are no longer on this disk. */
    public function removeTombstonesBefore(int $firstSegment): void
    {
        foreach ($this->positions(self::TOMBSTONE) as $position) {
            if ((int) substr($position, 0, 20) < $firstSegment) {
                $this->remove($this->path(Position::fromString($position), self::TOMBSTONE));
            }
        }
    }

    /** @return list<string> in ascending order */
    private function positions(string $suffix): array
    {
        $positions = [];

        foreach ((new DirectoryListing($this->directory, $this->isSeenOnly))->names() as $name) {
            if (str_ends_with($name, $suffix) && self::isPosition(substr($name, 0, -strlen($suffix)))) {
                $positions[] = substr($name, 0, -strlen($suffix));
            }
        }

        return $positions;
    }

    private static function isPosition(string $name): bool
    {
        return preg_match('/\A\d{20}-\d{20}-\d{5}\z/', $name) === 1;
    }

    private function path(Position $position, string $suffix): string
    {
        return "{$this->directory}/{$position->toString()}{$suffix}";
    }

    /** The file is on disk when this returns, because the next step moves the cursor past the event. */
    private function write(string $path, string $content): void
    {
        $reason = '';
        @unlink("{$path}.new");
        $file = FileOperation::run(fn () => $this->permissions->open("{$path}.new", 'xe'), $reason);

        if ($file === false) {
            throw StorageUnavailable::deadLetterNotWritten($path, $reason);
        }

        $isWhole = FileOperation::run(
            static fn (): bool => fwrite($file, $content) === strlen($content) && Sync::ifAllowed($file),
            $reason,
        );
        fclose($file);

        if (! $isWhole || ! FileOperation::run(static fn (): bool => rename("{$path}.new", $path), $reason)) {
            throw StorageUnavailable::deadLetterNotWritten($path, $reason);
        }

        $directory = @fopen($this->directory, 'r');

        if ($directory !== false) {
            Sync::ifAllowed($directory);
            fclose($directory);
        }
    }

    private function remove(string $path): void
    {
        $reason = '';

        if (file_exists($path) && ! FileOperation::run(static fn (): bool => unlink($path), $reason)) {
            throw StorageUnavailable::notPermitted('remove', $path, $reason, Permissions::ownership($path));
        }
    }

    private function read(string $path): DeadLetter
    {
        $reason = '';
        $bytes = (int) @filesize($path);

        // A part of a file is no letter, and reading it can exhaust the memory of a request.
        if ($bytes > DeadLetterCodec::MAX_BYTES) {
            throw DeadLetterUnreadable::because(
                $path,
                'it has '.TerminalText::count($bytes, 'byte').', and a dead letter has at most '
                    .TerminalText::count(DeadLetterCodec::MAX_BYTES, 'byte'),
            );
        }

        $content = RegularFile::read($path, DeadLetterCodec::MAX_BYTES, $reason);

        if ($content === false) {
            throw DeadLetterUnreadable::because($path, $reason);
        }

        try {
            return DeadLetterCodec::decode($content);
        } catch (InvalidArgumentException $e) {
            throw DeadLetterUnreadable::because($path, $e->getMessage());
        }
    }
}
