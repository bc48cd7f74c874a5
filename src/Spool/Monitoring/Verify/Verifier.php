<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\FileStore\DeadLetters\RetrySegment;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\FileStore\State\Snapshot;
use Headroom\Spool\FileStore\State\SnapshotReader;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile;
use Headroom\Support\TerminalText;

/**
 * Compares the files of a bucket with its state file and its ledger. Takes no lock and changes nothing. Events that are
 * written or flushed meanwhile are not part of the result.
 *
 * @internal
 */
final readonly class Verifier implements BucketVerifier
{
    /** When a file is cleaned away before it is read, all files are read again. */
    private const TRIES = 3;

    public function __construct(private FileStore $store, private Clock $clock) {}

    /**
     * @param Findings $findings receives each finding at once
     *
     * @throws UnableToFlush this user cannot read the state or the directory
     */
    public function verify(string $bucket, LedgerReader $ledger, Findings $findings): Verification
    {
        $layout = $this->store->layout($bucket);
        $snapshots = new SnapshotReader($layout, $this->store->permissions, $this->clock);

        $try = 0;

        do {
            $snapshot = $snapshots->take($ledger->progress(...));
            $found = [];
            $held = new Findings(static function (Finding $problem) use (&$found): void {
                $found[] = $problem;
            }, $findings->read(...));
            $result = $this->read($snapshot, $snapshots, $layout, $held);
        } while ($result->isOvertaken && ++$try < self::TRIES);

        array_map($findings->add(...), $found);
        (new Accounts($snapshot, $ledger, $layout, $findings))->compare($result);
        (new Leftovers($bucket, $layout, $this->clock, $findings))->check($result);
        $result->wrong = $findings->wrong;
        $result->notes = $findings->notes;

        return $result;
    }

    public function bytes(string $bucket): int
    {
        $layout = $this->store->layout($bucket);
        $bytes = 0;
        clearstatcache();

        foreach ([$layout->active, $layout->sealed, $layout->completed] as $folder) {
            foreach ((array) @scandir($folder) as $name) {
                $bytes += is_string($name) && is_file("{$folder}/{$name}") ? (int) @filesize("{$folder}/{$name}") : 0;
            }
        }

        return $bytes;
    }

    private function read(
        Snapshot $snapshot,
        SnapshotReader $snapshots,
        Layout $layout,
        Findings $findings,
    ): Verification {
        $bucket = basename($layout->directory);
        $result = new Verification($bucket);
        $check = new FileCheck(
            [$this->store->node(), ...NodeId::former($this->store->root)],
            $bucket,
            $snapshot->progress()->position,
            $snapshot->record->flush->progress->position,
            $findings,
        );
        $digests = [];
        $hasCursor = $snapshot->progress()->position->offset === 0;

        foreach ([...$snapshot->segments, ...$snapshot->activeSegments] as $file) {
            $report = $this->file($file, $snapshots, $check, $findings, $result);

            if ($report === null) {
                continue;
            }

            array_map($findings->add(...), $report->all("{$bucket}: {$file->name()}"));
            $this->tally($report, $file, $result);
            $hasCursor = $hasCursor || $report->hasCursor;

            if ($report->digest !== '' && isset($digests[$report->digest])) {
                $findings->wrong(
                    "{$bucket}: {$file->name()}",
                    "It has the same events as {$digests[$report->digest]}: it is a copy, which delivers "
                        .TerminalText::count($report->events, 'event').' twice.',
                    "Move the copy out of {$layout->directory} before the next flush, unless both are delivered"
                        .' already.',
                );
            }

            $digests[$report->digest] ??= $file->name();
        }

        if (! $hasCursor && $this->hasCursorSegment($snapshot)) {
            $findings->wrong(
                "{$bucket}: cursor",
                "The position {$snapshot->progress()->position->toString()} is not at a frame boundary of its"
                    .' segment: the'
                    .' segment or the cursor was changed.',
                'Do not flush. Restore the original segment, row of spool_ledger or state file.',
            );
        }

        return $result;
    }

    private function hasCursorSegment(Snapshot $snapshot): bool
    {
        $files = $snapshot->segmentsFrom($snapshot->progress()->position);

        return $files !== [] && $files[0]->sequence === $snapshot->progress()->position->segment;
    }

    private function file(
        SegmentInfo $file,
        SnapshotReader $snapshots,
        FileCheck $check,
        Findings $findings,
        Verification $result,
    ): ?FileReport {
        $report = $this->attempt($file, $snapshots, $check, $findings, $result);

        // An unfinished write may look like damage, so an active segment with findings is read a second time.
        return $report !== null && $file->isActive() && $report->problems !== []
            ? $this->attempt($file, $snapshots, $check, $findings, $result)
            : $report;
    }

    private function attempt(
        SegmentInfo $file,
        SnapshotReader $snapshots,
        FileCheck $check,
        Findings $findings,
        Verification $result,
    ): ?FileReport {
        $handle = $snapshots->open($file);

        if ($handle === null) {
            $inode = RegularFile::inode($file->path);

            // Another file may have its name by now, such as the next active segment.
            if (! RegularFile::exists($file->path) || ($inode !== null && $inode !== $file->inode)) {
                // The file was delivered and cleaned away. The totals need only files with undelivered events.
                $result->isOvertaken = $result->isOvertaken || ! $check->isBehind($file);
                $result->isWhole = ! $result->isOvertaken;
            } else {
                $result->isWhole = false;
                $findings->wrong(
                    "{$result->bucket}: {$file->name()}",
                    'It cannot be read. '.Permissions::ownership($file->path),
                    'Run this command as the user that serves requests, or as root.',
                );
            }

            return null;
        }

        try {
            return $check->check($handle, $file);
        } catch (UnableToFlush $e) {
            $result->isWhole = false;
            $findings->wrong("{$result->bucket}: {$file->name()}", $e->getMessage(), 'Check that disk.');

            return null;
        } finally {
            fclose($handle);
        }
    }

    private function tally(FileReport $report, SegmentInfo $file, Verification $result): void
    {
        $file->isActive() ? $result->slots++ : $result->segments++;
        $result->bytes += $file->size;
        $result->frames += $report->frames;
        $result->torn += $report->torn;
        $result->damaged += $report->damaged;
        $result->pendingSealed += $report->pending;
        $result->pendingByState += $report->pendingByState;

        if ($file->isActive()) {
            $result->activeEvents += $report->events;
            // A retry that was killed before it sealed its segment.
            $result->retriedLetters += RetrySegment::isRetrySegment($file->path) ? $report->events : 0;
        } else {
            $result->sealedEvents += $report->events;
        }
    }
}
