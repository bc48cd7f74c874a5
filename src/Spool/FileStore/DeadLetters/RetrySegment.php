<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\DeadLetters;

use Headroom\Core\Position;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use InvalidArgumentException;

/**
 * Writes dead letters back into the log, as an active segment whose header names them. It is sealed like any other
 * segment. The sealer removes the letters when the segment is in the log, before its events are delivered.
 *
 * @internal
 */
final readonly class RetrySegment
{
    /** No writer uses an active segment of this number. */
    private const NUMBER = 9999;

    /** Largest number of letters that one header names. */
    public const MAX_LETTERS = 10_000;

    public function __construct(
        private Layout $layout,
        private Permissions $permissions,
        private string $node,
        private string $bucket,
    ) {}

    public static function isRetrySegment(string $name): bool
    {
        return str_ends_with($name, '-'.self::NUMBER.'.log');
    }

    /**
     * Called under the flush lock. The caller seals the segment next.
     *
     * @param list<DeadLetter> $letters
     * @param int $now microseconds since the Unix epoch
     *
     * @throws UnableToFlush
     */
    public function write(array $letters, int $now): void
    {
        $path = sprintf('%s/u%d-%d.log', $this->layout->active, Permissions::currentUser(), self::NUMBER);
        $new = "{$this->layout->dead}/revival.new";
        $reason = '';
        @unlink($new);
        $file = FileOperation::run(fn () => $this->permissions->open($new, 'xe'), $reason);

        if ($file === false) {
            throw StorageUnavailable::deadLetterNotWritten($new, $reason);
        }

        $isWhole = FileOperation::run(
            fn (): bool => $this->fill($file, $letters, $now) && Sync::ifAllowed($file),
            $reason,
        );
        fclose($file);

        // The rename makes the complete segment visible at once. A reader must not take a part of the letters for all
        // of them.
        if (! $isWhole || ! FileOperation::run(static fn (): bool => rename($new, $path), $reason)) {
            @unlink($new);

            throw StorageUnavailable::deadLetterNotWritten($path, $reason);
        }
    }

    /**
     * @param resource $file
     * @return list<Position> positions of the letters whose events are in the file
     */
    public static function letters($file): array
    {
        foreach ((new SegmentReader($file))->read() as $item) {
            $header = $item instanceof Frame && $item->type === Frame::TYPE_HEADER
                ? json_decode($item->payload, true)
                : null;
            $positions = is_array($header) && is_array($header['letters'] ?? null) ? $header['letters'] : [];

            try {
                return array_values(array_map(
                    static fn (mixed $position): Position
                        => Position::fromString(is_string($position) ? $position : ''),
                    $positions,
                ));
            } catch (InvalidArgumentException) {
                return [];
            }
        }

        return [];
    }

    /**
     * @param resource $file
     * @param list<DeadLetter> $letters
     */
    private function fill($file, array $letters, int $now): bool
    {
        $header = json_encode([
            'format' => 1,
            'node' => $this->node,
            'bucket' => $this->bucket,
            'uid' => Permissions::currentUser(),
            'letters' => array_map(static fn (DeadLetter $letter): string => $letter->position->toString(), $letters),
        ], JSON_THROW_ON_ERROR);
        $bytes = Frame::header(strlen($header) % 2 === 0 ? $header : "{$header} ", $now);
        $offset = strlen($bytes);

        foreach ($letters as $letter) {
            $line = $letter->lineWithId();
            $frame = Frame::events(strlen($line) % 2 === 0 ? $line : "{$line} ", 1, $offset, $letter->acceptedAt);
            $bytes .= $frame;
            $offset += strlen($frame);

            if (strlen($bytes) > 1_048_576) {
                if (fwrite($file, $bytes) !== strlen($bytes)) {
                    return false;
                }

                $bytes = '';
            }
        }

        return fwrite($file, $bytes) === strlen($bytes);
    }
}
