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
 * Files against the state's running total, and the state against the ledger.
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
        $result->revived += $record->revived;
        $result->buried = (new DeadLetterDirectory(
            $this->layout->dead,
            new Permissions,
            true,
        ))->buriedFrom($progress->position);
        $result->accepted = $record->accepted + $result->activeEvents - $result->revived;
        $result->delivered = $progress->delivered;
        $result->dead = $progress->dead - $result->revived + $result->buried;
        $this->directories($result);
        $this->duplicates($result);

        // Of two moments: a segment sealed between them looks unsealed.
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
            'Not everything could be read as of one moment, so that accepted, delivered and pending were not held against each other, nor the segments against their numbers.',
            'Run this command again, in a quieter moment or as a user who may read everything.',
        );
    }

    private function directories(Verification $result): void
    {
        foreach ($this->snapshot->unreadable as $path) {
            $result->isWhole = false;
            $this->findings->wrong(
                "{$result->bucket}: ".basename($path),
                "{$path} can not be read. ".Permissions::ownership($path),
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
                "The state file is gone, while {$result->segments} segments are there.",
                'Put it back from a backup before the next flush. Without it a sink that keeps no ledger gets everything again, and what is missing can not be told.',
            );
        } elseif ($highest > $sealed) {
            $this->findings->wrong(
                "{$result->bucket}: ".Layout::segmentName($highest),
                "Its number is beyond {$sealed}, the last one given out: a power cut made the state forget it, or somebody put it here.",
                'Where no power cut was, move it out before the next flush, which counts and delivers it.',
            );
        }
    }

    private function duplicates(Verification $result): void
    {
        foreach ($this->snapshot->duplicates as $file) {
            $this->findings->wrong(
                "{$result->bucket}: {$file->name()}",
                'It lies in sealed/ and in completed/, and they are two files: somebody copied or restored one.',
                "Keep the one that is sound and belongs to the state beside it, and move the other out of {$this->layout->directory}.",
            );
        }
    }

    /** @return int<0, max> ranges of numbers that are gone and may hold what was not delivered */
    private function gaps(Verification $result): int
    {
        $cursor = $this->snapshot->progress()->position->segment;
        $next = null;
        $gaps = 0;

        foreach ($this->snapshot->segments as $file) {
            // Those before the first one were cleaned away, unless the cursor never came so far.
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
                "{$what} gone, removed by somebody else: the buffer removes the oldest first. All of it was delivered.",
                'Nothing, unless a database is to be restored to an older day: it would want these again.',
            );

            return 0;
        }

        $this->findings->wrong(
            $subject,
            "{$what} gone, removed behind the buffer's back.",
            "Put it back into {$this->layout->sealed} from a backup before the next flush, which goes on behind it.",
        );

        return 1;
    }

    private function missing(Verification $result, int $gaps): void
    {
        $subject = "{$result->bucket}: accounts";
        $sum = "{$this->snapshot->record->accepted} were sealed, {$result->delivered} delivered, {$this->snapshot->progress()->dead} are dead, {$result->pendingSealed} lie in segments and are not delivered";

        if ($result->missing > 0) {
            $where = match (true) {
                $gaps === 1 && $result->damaged === 0 => 'All of them were in what is gone.',
                $gaps > 0 || $result->damaged > 0 => 'They were in what is gone or damaged.',
                default => 'They were in segments that were cut, replaced or removed, or state and segments are not of the same day.',
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
                'A segment was added, or the ledger or the state was set back. Find the copy before the next flush delivers it twice.',
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
                "It can not be read, so the accounts are those of the state file: {$this->ledger->error}",
                'Run `spool:health`.',
            );
        } elseif ($this->ledger->isWithoutRow && ! $state->position->isStart()) {
            $this->findings->wrong(
                $subject,
                "It has no row for this log, which was once delivered up to {$state->position->toString()}: another database, or one that was emptied.",
                "Run `spool:flush {$result->bucket}`: it sends nothing, and names the two ways to go on.",
            );
        }

        if ($this->snapshot->isForked) {
            $this->findings->wrong(
                $subject,
                "The disk was set back, or copied and both copies are in use: the ledger knows a log that went another way. This one was delivered up to {$state->position->toString()} when it was last flushed.",
                'Run `spool:new-id`: it says what waits here, and names the two ways to go on.',
            );

            return;
        }

        $ahead = $progress->delivered + $progress->dead - $state->delivered - $state->dead;

        if (
            $progress->position->compare($state->position) > 0
            && $ahead !== $result->pendingByState - $result->pendingSealed
        ) {
            $this->findings->wrong($subject, "It is {$ahead} events ahead of the state file, but there are ".($result->pendingByState - $result->pendingSealed)." between {$state->position->toString()} and {$progress->position->toString()}: ledger and disk are not of the same day, or another machine uses the same node id.", "Run `spool:flush {$result->bucket}`: it sends nothing then, and says what to do.");
        } elseif ($progress->position->compare($state->position) < 0) {
            $this->findings->note(
                $subject,
                'It is '.-$ahead.' events behind what was delivered once: that database was restored.',
                'Nothing: the next flush delivers them again, as far as their segments are still here.',
            );
        } elseif ($progress->position->equals($state->position) && $ahead !== 0) {
            $this->findings->wrong(
                $subject,
                "It stands where the state file does, but counts {$progress->delivered} delivered and {$progress->dead} dead instead of {$state->delivered} and {$state->dead}: somebody changed the row.",
                'Set the counts back in spool_ledger. The next flush takes what stands there as true.',
            );
        }
    }
}
