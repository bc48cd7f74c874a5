<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\Clock;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Support\RegularFile;

/**
 * Checks the files next to the log: copies of damaged bytes, dead letters, and files that a crash left incomplete.
 *
 * @internal
 */
final readonly class Leftovers
{
    /** Another process may still be writing a younger file. */
    private const SECONDS = 60;

    public function __construct(
        private string $bucket,
        private Layout $layout,
        private Clock $clock,
        private Findings $findings,
    ) {}

    public function check(Verification $result): void
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
                fn (string $name) => $this->incomplete("{$folder}/{$name}"),
                array_filter(
                    DirectoryListing::asSeen($folder)->names(),
                    static fn (string $name): bool => str_ends_with($name, '.new'),
                ),
            );
        }
    }

    /** Compares a copy with its segment. A segment never changes, so the bytes must be equal. */
    private function copy(string $path, int $sequence, int $offset): void
    {
        $segment = RegularFile::open($this->layout->sealedSegment($sequence), 're');
        $segment = $segment === false ? RegularFile::open($this->layout->completedSegment($sequence), 're') : $segment;
        $copy = RegularFile::open($path, 're');
        $subject = "{$this->bucket}: quarantine/".basename($path);

        if ($copy === false) {
            $this->findings->wrong(
                $subject,
                'It cannot be read.',
                'Run this command as the user that serves requests, or as root.',
            );
        } elseif ($segment === false) {
            $this->findings->note(
                $subject,
                'Its segment is cleaned away, so this is the last copy of bytes that may have acknowledged events.',
                'Examine it, then remove it.',
            );
        } elseif (fseek($segment, $offset) !== 0 || ! $this->isSame($copy, $segment)) {
            $this->findings->wrong(
                $subject,
                'Its bytes differ from those in the segment: one of the two was changed after the copy was made.',
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
        $text = RegularFile::read($path, DeadLetterCodec::MAX_BYTES);

        if ($text === false ? RegularFile::exists($path) : ! is_array(json_decode($text, true))) {
            $this->findings->wrong(
                "{$this->bucket}: dead/".basename($path),
                $text === false
                    ? 'This dead letter cannot be read.'
                    : 'This dead letter is not valid JSON, so its event cannot be retried.',
                $text === false
                    ? 'Run this command as the user that serves requests, or as root.'
                    : 'Restore it from a backup, and check that disk.',
            );
        }
    }

    private function incomplete(string $path): void
    {
        $age = intdiv($this->clock->micros(), 1_000_000) - (int) @filemtime($path);

        if (file_exists($path) && $age >= self::SECONDS) {
            $this->findings->note(
                "{$this->bucket}: ".substr($path, strlen($this->layout->directory) + 1),
                "A crash {$age} s ago left it incomplete. The buffer does not read it.",
                'Remove it.',
            );
        }
    }
}
