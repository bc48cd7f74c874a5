<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\Clock;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;

/**
 * What lies beside the log: copies of damage, dead letters, and what a crash left half written.
 *
 * @internal
 */
final readonly class Leftovers
{
    /** A younger one may be somebody's work at this moment. */
    private const SECONDS = 60;

    public function __construct(
        private string $bucket,
        private Layout $layout,
        private Clock $clock,
        private Findings $findings,
    ) {}

    public function look(Verification $result): void
    {
        $dead = "{$this->layout->directory}/dead";
        clearstatcache();

        foreach (DirectoryListing::asSeen($this->layout->quarantine)->names() as $name) {
            if (preg_match('/\A(\d{20})-(\d{20})\.bin\z/', $name, $m) === 1) {
                $this->copy("{$this->layout->quarantine}/{$name}", max(1, (int) $m[1]), (int) $m[2]);
            }
        }

        foreach (DirectoryListing::asSeen($dead)->names() as $name) {
            if (str_ends_with($name, '.json')) {
                $result->deadLetters++;
                $this->letter("{$dead}/{$name}");
            }
        }

        foreach ([
            $this->layout->directory,
            $this->layout->active,
            $this->layout->sealed,
            $this->layout->completed,
            $this->layout->quarantine,
            $dead,
        ] as $folder) {
            array_map(
                fn (string $name) => $this->halfWritten("{$folder}/{$name}"),
                array_filter(
                    DirectoryListing::asSeen($folder)->names(),
                    static fn (string $name): bool => str_ends_with($name, '.new'),
                ),
            );
        }
    }

    /** The segment never changes, so its bytes are still those of the copy. */
    private function copy(string $path, int $sequence, int $offset): void
    {
        $segment = BufferFile::open($this->layout->sealedSegment($sequence), 're');
        $segment = $segment === false ? BufferFile::open($this->layout->completedSegment($sequence), 're') : $segment;
        $copy = BufferFile::open($path, 're');
        $subject = "{$this->bucket}: quarantine/".basename($path);

        if ($copy === false) {
            $this->findings->wrong(
                $subject,
                'It can not be read.',
                'Run this command as the user that serves requests, or as root.',
            );
        } elseif ($segment === false) {
            $this->findings->note(
                $subject,
                'The segment it was copied from is cleaned away, so this is the last copy of bytes that may hold acknowledged events.',
                'Look at it, then remove it.',
            );
        } elseif (fseek($segment, $offset) !== 0 || ! $this->isSame($copy, $segment)) {
            $this->findings->wrong(
                $subject,
                'Its bytes are not those at that place in the segment: one of both was changed after the copy was made.',
                'Keep both, and check that disk.',
            );
        }
    }

    /**
     * @param resource $copy
     * @param resource $segment
     */
    private function isSame($copy, $segment): bool
    {
        while (($piece = (string) @fread($copy, 8192)) !== '') {
            $same = '';

            while (
                strlen($same) < strlen($piece)
                && ($more = (string) @fread($segment, max(1, strlen($piece) - strlen($same)))) !== ''
            ) {
                $same .= $more;
            }

            if ($same !== $piece) {
                return false;
            }
        }

        return true;
    }

    private function letter(string $path): void
    {
        $text = BufferFile::read($path, DeadLetterCodec::MAX_BYTES);

        if ($text === false ? BufferFile::exists($path) : ! is_array(json_decode($text, true))) {
            $this->findings->wrong(
                "{$this->bucket}: dead/".basename($path),
                $text === false
                    ? 'This dead letter can not be read.'
                    : 'This dead letter is no JSON any more: its event can not be tried again.',
                $text === false
                    ? 'Run this command as the user that serves requests, or as root.'
                    : 'Put it back from a backup, and check that disk.',
            );
        }
    }

    private function halfWritten(string $path): void
    {
        $age = intdiv($this->clock->micros(), 1_000_000) - (int) @filemtime($path);

        if (file_exists($path) && $age >= self::SECONDS) {
            $this->findings->note(
                "{$this->bucket}: ".substr($path, strlen($this->layout->directory) + 1),
                "A crash {$age} s ago left it half written. Nothing reads it.",
                'Remove it.',
            );
        }
    }
}
