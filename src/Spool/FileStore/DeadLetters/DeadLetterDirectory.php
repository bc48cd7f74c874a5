<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\DeadLetters;

use Headroom\Core\Position;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\Exceptions\DeadLetterUnreadable;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\DeadLetterStore;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use InvalidArgumentException;

/**
 * The directory `dead`: one file per letter, named for the event's place; docs/spool-format.md, "Dead letters".
 *
 * Of a letter that was retried or forgotten an empty file stays, a stone, for as long as the event lies in the log: a
 * database that is restored asks for that place again, and must not get what was buried there.
 *
 * @internal
 */
final readonly class DeadLetterDirectory implements DeadLetterStore
{
    private const LETTER = '.json';

    private const STONE = '.gone';

    /** @param bool $isSeenOnly for those who only look: a directory that is hidden from this user is empty then */
    public function __construct(private string $directory, private Permissions $permissions, private bool $isSeenOnly = false) {}

    public function bury(DeadLetter $letter): void
    {
        $path = $this->path($letter->position, self::LETTER);
        clearstatcache();

        if (! file_exists($path)) {
            $this->write($path, DeadLetterCodec::encode($letter));
        }
    }

    /** Its event is passed over when its turn comes, and the letter stays. */
    public function leave(DeadLetter $letter): void
    {
        $this->bury($letter);
        $this->mark($letter->position);
    }

    public function settle(Position $cursor, bool $isBegun): array
    {
        $dead = [];

        foreach ((new DirectoryListing($this->directory, $this->isSeenOnly))->names() as $name) {
            $place = substr($name, 0, 47);

            if (str_ends_with($name, '.new')) {
                @unlink("{$this->directory}/{$name}");
            } elseif ($place < $cursor->toString() || ! self::isPlace($place)) {
                continue;
            } elseif ($isBegun || str_ends_with($name, self::STONE)) {
                $dead[$place] = true;
            } elseif (str_ends_with($name, self::LETTER) && ! file_exists("{$this->directory}/{$place}".self::STONE) && $this->isInLog((int) substr($place, 0, 20))) {
                $this->remove("{$this->directory}/{$name}");
            }
        }

        return $dead;
    }

    /** Else the letter is the event's last copy: a database was restored, and its segment is cleaned away. */
    private function isInLog(int $segment): bool
    {
        $bucket = dirname($this->directory);
        clearstatcache();

        return file_exists("{$bucket}/sealed/".Layout::segmentName($segment)) || file_exists("{$bucket}/completed/".Layout::segmentName($segment));
    }

    public function before(Position $cursor): iterable
    {
        foreach ($this->places(self::LETTER) as $place) {
            if ($place < $cursor->toString()) {
                try {
                    $letter = $this->read($this->path(Position::fromString($place), self::LETTER));
                } catch (UnableToFlush $e) {
                    $letter = new CorruptDeadLetter(Position::fromString($place), $e->getMessage());
                }

                yield $letter;
            }
        }
    }

    /** @return int<0, max> letters whose events the cursor is past */
    public function count(Position $cursor): int
    {
        return count(array_filter($this->places(self::LETTER), static fn (string $place): bool => $place < $cursor->toString()));
    }

    /** @return int<0, max> events from there on that were retried or forgotten, and will not be handed over when their turn comes */
    public function buriedFrom(Position $cursor): int
    {
        return count(array_filter($this->places(self::STONE), static fn (string $place): bool => $place >= $cursor->toString()));
    }

    /** The letter ends here: its event is in the log again, or nobody wants it. */
    public function remember(Position $position): void
    {
        $this->mark($position);
        $this->remove($this->path($position, self::LETTER));
    }

    private function mark(Position $position): void
    {
        $stone = $this->path($position, self::STONE);
        clearstatcache();

        if (! file_exists($stone)) {
            $this->write($stone, '');
        }
    }

    /** Stones of events that are not on this disk any more. */
    public function weed(int $firstSegment): void
    {
        foreach ($this->places(self::STONE) as $place) {
            if ((int) substr($place, 0, 20) < $firstSegment) {
                $this->remove($this->path(Position::fromString($place), self::STONE));
            }
        }
    }

    /** @return list<string> rising */
    private function places(string $suffix): array
    {
        $places = [];

        foreach ((new DirectoryListing($this->directory, $this->isSeenOnly))->names() as $name) {
            if (str_ends_with($name, $suffix) && self::isPlace(substr($name, 0, -strlen($suffix)))) {
                $places[] = substr($name, 0, -strlen($suffix));
            }
        }

        return $places;
    }

    private static function isPlace(string $name): bool
    {
        return preg_match('/\A\d{20}-\d{20}-\d{5}\z/', $name) === 1;
    }

    private function path(Position $position, string $suffix): string
    {
        return "{$this->directory}/{$position->toString()}{$suffix}";
    }

    /** On the disk when it returns: the next step moves the cursor past the event. */
    private function write(string $path, string $content): void
    {
        $reason = '';
        @unlink("{$path}.new");
        $file = FileOperation::run(fn () => $this->permissions->open("{$path}.new", 'xe'), $reason);

        if ($file === false) {
            throw StorageUnavailable::deadLetterNotWritten($path, $reason);
        }

        $isWhole = FileOperation::run(static fn (): bool => fwrite($file, $content) === strlen($content) && Sync::ifAllowed($file), $reason);
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
        $content = BufferFile::read($path, DeadLetterCodec::MOST_BYTES, $reason);

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
