<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Sink\Progress;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\FileStore\State\Snapshot;

/**
 * Compares the files with the totals in the state file, and the state file with the ledger.
 *
 * @internal
 */
final readonly class Accounts
{
    public function __construct(
        private Snapshot $snapshot,
        private LedgerReader $ledger,
        private Layout $layout,
        private Findings $findings,
    ) {}

    public function compare(Verification $result): void
    {
        $progress = $this->snapshot->progress();
        $record = $this->snapshot->record;
        $result->retriedLetters += $record->retriedLetters;
        $result->tombstones = (new DeadLetterDirectory(
            $this->layout->dead,
            new Permissions,
            true,
        ))->countTombstonesFrom($progress->position);
        $result->accepted = $record->accepted + $result->activeEvents - $result->retriedLetters;
        $result->delivered = $progress->delivered;
        $result->dead = $progress->dead - $result->retriedLetters + $result->tombstones;
        $this->directories($result);
        $this->duplicates($result);

        // The files and the state were read at two moments, so a segment that was sealed in between looks unsealed.
        if (! $this->snapshot->isStable) {
            $this->notOfOneMoment($result);

            return;
        }

        $this->state($result);
        $gaps = $this->gaps($result);

        if (! $result->isWhole) {
            $this->notOfOneMoment($result);

            return;
        }

        $result->missing = $record->accepted - $progress->delivered - $progress->dead - $result->pendingSealed;
        $this->missing($result, $gaps);
        $this->ledger($result, $progress);
    }

    private function notOfOneMoment(Verification $result): void
    {
        $this->findings->note(
            "{$result->bucket}: accounts",
            'The files changed meanwhile, or could not all be read, so neither the totals nor the numbers of the'
                .' segments were compared.',
            'Run this command again when fewer events are written, or as a user that can read all files.',
        );
    }

    private function directories(Verification $result): void
    {
        foreach ($this->snapshot->unreadable as $path) {
            $result->isWhole = false;
            $this->findings->wrong(
                "{$result->bucket}: ".basename($path),
                "{$path} cannot be read. ".Permissions::ownership($path),
                'Run this command as the user that serves requests, or as root.',
            );
        }
    }

    private function state(Verification $result): void
    {
        $highest = array_reduce(
            $this->snapshot->segments,
            static fn (int $highest, SegmentInfo $file): int => max($highest, $file->sequence),
            0,
        );
        $sealed = $this->snapshot->record->sealed;

        clearstatcache();

        if ($highest > 0 && ! file_exists($this->layout->stateFile)) {
            $this->findings->wrong(
                "{$result->bucket}: state",
                "The state file is missing, but there are {$result->segments} segments.",
                'Restore it from a backup before the next flush. Without it a sink that has no ledger gets all events'
                    .' again, and missing events cannot be counted.',
            );
        } elseif ($highest > $sealed) {
            $this->findings->wrong(
                "{$result->bucket}: ".Layout::segmentName($highest),
                "Its number is above {$sealed}, the last number that a flush assigned: a power cut undid the last write"
                    .' of the state file, or the segment was put here by hand.',
                'If there was no power cut, move it out before the next flush, which would count and deliver it.',
            );
        }
    }

    private function duplicates(Verification $result): void
    {
        foreach ($this->snapshot->duplicates as $file) {
            $this->findings->wrong(
                "{$result->bucket}: {$file->name()}",
                'It is in sealed/ and in completed/, as two different files: one of them was copied or restored.',
                'Keep the undamaged one that fits the state file, and move the other out of'
                    ." {$this->layout->directory}.",
            );
        }
    }

    /** @return int<0, max> number of missing ranges that may have undelivered events */
    private function gaps(Verification $result): int
    {
        $cursor = $this->snapshot->progress()->position->segment;
        $next = null;
        $gaps = 0;

        foreach ($this->snapshot->segments as $file) {
            // Segments before the first one were cleaned away, unless the cursor has not reached them.
            $gaps += $this->gap($result, $next ?? min($file->sequence, max(1, $cursor)), $file->sequence - 1, $cursor);
            $next = $file->sequence + 1;
        }

        return $gaps + $this->gap($result, $next ?? max(1, $cursor), $this->snapshot->record->sealed, $cursor);
    }

    /** @return int<0, 1> */
    private function gap(Verification $result, int $first, int $last, int $cursor): int
    {
        if ($first > $last) {
            return 0;
        }

        $subject = "{$result->bucket}: ".Layout::segmentName($first);
        $what = $first === $last
            ? 'This segment is'
            : sprintf(
                'This segment and those up to %s, %d in all, are',
                Layout::segmentName($last),
                $last - $first + 1,
            );

        if ($last < $cursor) {
            $this->findings->note(
                $subject,
                "{$what} missing, removed by another program: the buffer removes the oldest first. All events in it"
                    .' were delivered.',
                'Nothing, unless you restore an older backup of the database, which would need these events again.',
            );

            return 0;
        }

        $this->findings->wrong(
            $subject,
            "{$what} missing. Another program removed it, or it was delivered and removed before the database"
                .' was restored.',
            "Restore it into {$this->layout->sealed} from a backup before the next flush, which continues after it.",
        );

        return 1;
    }

    private function missing(Verification $result, int $gaps): void
    {
        $subject = "{$result->bucket}: accounts";
        $sum = "{$this->snapshot->record->accepted} sealed, {$result->delivered} delivered,"
            ." {$this->snapshot->progress()->dead} dead, {$result->pendingSealed} pending in sealed segments";

        if ($result->missing > 0) {
            $where = match (true) {
                $gaps === 1 && $result->damaged === 0 => 'All of them were in the missing segments.',
                $gaps > 0 || $result->damaged > 0 => 'They were in missing or damaged segments.',
                default => 'They were in segments that were cut, replaced or removed, or the state file and the'
                    .' segments are from different backups.',
            };
            $this->findings->wrong(
                $subject,
                "Exactly {$result->missing} accepted events are missing: {$sum}. {$where}",
                'Only a backup of this directory can have them.',
            );
        } elseif ($result->missing < 0) {
            $this->findings->wrong(
                $subject,
                'There are '.-$result->missing." more events than were accepted: {$sum}.",
                'A segment was added, or the ledger or the state file was restored. Find the copy before the next'
                    .' flush delivers it twice.',
            );
        }
    }

    private function ledger(Verification $result, Progress $progress): void
    {
        $state = $this->snapshot->record->flush->progress;
        $subject = "{$result->bucket}: ledger";

        if ($this->ledger->error !== null) {
            $this->findings->wrong(
                $subject,
                "It cannot be read, so the totals are those of the state file: {$this->ledger->error}",
                'Run `spool:health`.',
            );
        } elseif ($this->ledger->isWithoutRow && ! $state->position->isStart()) {
            $this->findings->wrong(
                $subject,
                "It has no row for this log, which was delivered up to {$state->position->toString()}: the"
                    .' connection leads to another database, or the table was emptied.',
                "Run `spool:flush {$result->bucket}`: it sends nothing and names the two ways to continue.",
            );
        }

        if ($this->snapshot->isForked) {
            $this->findings->wrong(
                $subject,
                'The disk was restored, or copied and both copies are in use: the ledger belongs to a diverged copy'
                    ." of this log. The last flush here delivered up to {$state->position->toString()}.",
                'Run `spool:new-id`: it shows the waiting events and the two ways to continue.',
            );

            return;
        }

        $ahead = $progress->delivered + $progress->dead - $state->delivered - $state->dead;

        if (
            $progress->position->compare($state->position) > 0
            && $ahead !== $result->pendingByState - $result->pendingSealed
        ) {
            $this->findings->wrong(
                $subject,
                "It is {$ahead} events ahead of the state file, but the log has "
                    .($result->pendingByState - $result->pendingSealed)
                    ." between {$state->position->toString()} and {$progress->position->toString()}: ledger and disk"
                    .' are from different backups, or another machine uses the same node id.',
                "Run `spool:flush {$result->bucket}`: it sends nothing and names the next step.",
            );
        } elseif ($progress->position->compare($state->position) < 0) {
            $this->findings->note(
                $subject,
                'It is '.-$ahead.' events behind the state file, because its database was restored.',
                'Nothing: the next flush sends them again, as far as their segments still exist.',
            );
        } elseif ($progress->position->equals($state->position) && $ahead !== 0) {
            $this->findings->wrong(
                $subject,
                "It is at the position of the state file, but counts {$progress->delivered} delivered and"
                    ." {$progress->dead} dead instead of {$state->delivered} and {$state->dead}: its row was changed"
                    .' by hand.',
                'Restore the counts in spool_ledger, because the next flush relies on them.',
            );
        }
    }
}
