<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\HeadroomException;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A bucket could not be flushed for a reason on this side of the sink. Nothing is lost: its events stay where they are.
 */
final class UnableToFlush extends RuntimeException implements HeadroomException
{
    /** @param bool $isPartial whether all the rest of the bucket is delivered as usual */
    private function __construct(string $message, public readonly bool $isPartial = false)
    {
        parent::__construct(TerminalText::line($message));
    }

    /** @internal */
    public static function asATestWanted(): self
    {
        return new self('The flush failed, as the test wanted it (failNextFlush()). Its events are still in the buffer.');
    }

    public static function notPermitted(string $what, string $path, string $reason, string $ownership): self
    {
        if (PhpRestrictions::hide($path)) {
            return new self("{$path} lies outside of open_basedir, so PHP may not use it. Point 'path' in config/spool.php into the site's folder, or ask your host to add it to open_basedir in php.ini.");
        }

        return new self("Can not {$what} {$path}: {$reason}. {$ownership} Flush as the user that serves requests, or let both share a group and set spool.dir_mode to 02770 and spool.file_mode to 0660.");
    }

    public static function notListed(string $path, string $reason, string $ownership): self
    {
        return new self("Can not list {$path}: {$reason}. {$ownership} Nothing was taken for gone; the next flush tries again. Look at the limit of open files of this process, the rights of this user and that disk.");
    }

    public static function notWritten(string $path, string $reason): self
    {
        return new self("{$path} could not be written in full: {$reason}. Check the space on that disk.");
    }

    public static function rootNotOurs(string $root, string $ownership): self
    {
        return new self("Nothing has been buffered yet, and {$root} does not exist. {$ownership} What this user made there could keep out the one that serves requests. Run `php artisan spool:install` as that one first.");
    }

    public static function notRegular(string $path, string $strangeness): self
    {
        return new self("{$path} is {$strangeness}, and the buffer made none there, so it was not used. Nothing was taken from it, and nothing is lost by this. Find out how it came there, and remove it.");
    }

    public static function sealedAlready(string $slot, string $segment): self
    {
        return new self("Slot {$slot} is a second name (a hard link) of {$segment}, whose events would be delivered twice. Find out how it came there, and remove the slot.");
    }

    /** @param int $others slots that could not be sealed either */
    public static function leftOut(self $first, int $others): self
    {
        $same = $others === 0 ? '' : " The same goes for {$others} more slots of that bucket.";

        return new self("{$first->getMessage()}{$same} The bucket's other slots are delivered all the same.", true);
    }

    public static function notRead(string $path, int $offset, string $reason): self
    {
        return new self("{$path} can not be read from byte {$offset} on: {$reason}. Nothing behind it was delivered. Check that disk; the next flush begins there again.");
    }

    public static function stateDamaged(string $path): self
    {
        return new self("Both records of the state file {$path} are damaged, so it is not known what was delivered. Restore that file from a backup; the segments beside it are untouched.");
    }

    public static function stateStrange(string $path, string $reason): self
    {
        return new self("The state file {$path} has a valid record that this version can not read: {$reason}. A newer version may have written it: flush with that version. Nothing was sent.");
    }

    public static function stateNotWritten(string $path, string $reason): self
    {
        return new self("The state file {$path} can not be written: {$reason}. Check that disk.");
    }

    public static function notOnDisk(string $what): self
    {
        return new self("What was accepted could not be put on disk: {$what}. Nothing is lost as long as the machine runs, and the next flush goes on; a power cut may take what was not delivered until then. Check that disk.");
    }

    public static function lockLost(string $path): self
    {
        return new self("The lock file beside {$path} was removed or replaced while this process was flushing, so another one may be flushing, too. This one has stopped; nothing is lost, and what a sink without a ledger had just received may arrive once more. Never remove flush.lock: it frees itself when its process ends.");
    }

    public static function unknownFrame(string $path, int $offset, int $type): self
    {
        return new self("Segment {$path} has a frame of type {$type} at byte {$offset}, which this version can not read. A newer version wrote it: flush with that version.");
    }

    public static function strangeSegment(string $path, int $last): self
    {
        return new self('Segment '.basename($path)." has a number far beyond {$last}, the last one given out, so the buffer did not make it. Move it out of ".dirname($path).' or its sibling completed/; nothing was sent.');
    }

    public static function everythingRefused(string $bucket, int $inRow, string $place, string $reason): self
    {
        return new self("The sink of bucket '{$bucket}' has refused {$inRow} events in a row, up to the one at {$place}, and taken none in between, so it is the sink that is wrong and not the events: they stay in the buffer. The last reason: {$reason} Mend the sink; if it is the events after all, set them aside with `php artisan spool:flush {$bucket} --now --bury`.");
    }

    public static function onlyPastTaken(string $bucket, int $dead, string $reason): self
    {
        return new self("The sink of bucket '{$bucket}' has refused {$dead} events in a row, and takes none of those that wait: these stay in the buffer, and those are dead letters. {$reason} If the sink is at fault, fix it and run `php artisan spool:flush {$bucket} --now` and `php artisan spool:retry --bucket={$bucket}`; if it is the events, add `--bury` to the flush, or let the next good event show it.");
    }

    public static function nothingTaken(string $bucket, int $tried, string $reason): self
    {
        return new self("The sink of bucket '{$bucket}' is at fault: it takes none of the events that wait or were delivered before (".TerminalText::count($tried, 'event')." tried), and all of them stay in the buffer. {$reason} Fix the sink, then run `php artisan spool:flush {$bucket} --now`; if it is the events after all, add `--bury`.");
    }

    public static function letterNotWritten(string $path, string $reason): self
    {
        return new self("The dead letter {$path} can not be written: {$reason}. Its event stays in the buffer, and holds up those behind it. Mend that, or the event's sink.");
    }

    public static function letterUnreadable(string $path, string $reason): self
    {
        return new self("The dead letter {$path} can not be read: {$reason}. Restore it, or forget it; the others are not touched.");
    }

    public static function undecodable(string $place, string $reason): self
    {
        return new self("The event at {$place} can not be read: {$reason}");
    }

    public static function ledgerForgot(Source $source, Progress $last): self
    {
        return new self("The ledger has no row for {$source->toString()}, although that log was once delivered up to {$last->position->toString()}: this is another database, its ledger was emptied, or the file 'node' beside the buckets is not the one it was. Nothing was sent. To deliver only what is new, run `php artisan spool:replay {$source->bucket} --from-now`; to deliver everything that is still on disk, `php artisan spool:replay {$source->bucket} --from-start`.");
    }

    /** @param string $source node/bucket */
    public static function forked(string $source, string $ledger, string $cursor): self
    {
        return new self("The disk of bucket '".basename($source)."' was set back, or copied and both copies are in use, so nothing was sent and new events wait. Run `php artisan spool:new-id`: it says what waits here, and names the two ways to go on. (The ledger has {$source} delivered up to {$ledger}; this log was delivered up to {$cursor} when it was last flushed, and does not lead there.)");
    }

    public static function streamSetBack(Source $source, string $ledger, string $cursor): self
    {
        return new self("The stream of bucket '{$source->bucket}' in Redis lacks what was delivered last: it was restored from an older dump. Nothing was sent; `php artisan spool:replay {$source->bucket} --from-now --again` delivers what it holds, some of it perhaps once more. (The ledger has {$source->toString()} delivered up to {$ledger}; the stream was delivered up to {$cursor} as far as it knows.)");
    }

    public static function waitsUnderOldId(string $bucket, int $events): self
    {
        return new self("Bucket '{$bucket}' did not fork, and {$events} of its events wait: both copies of this disk may have them. Nothing was changed; run `php artisan spool:flush {$bucket}` first, which delivers them once.");
    }

    public static function slotHeld(string $bucket, string $slot): self
    {
        return new self("A writer keeps slot {$slot} of bucket '{$bucket}' locked, so it cannot be told what of it the other copy has. Nothing was changed; run the command again, or end that process first.");
    }

    public static function replaySkips(string $bucket, string $ledger, string $target): self
    {
        return new self("The cursor of bucket '{$bucket}' stands at {$ledger}, before {$target}, where it would be set to: what lies between would never be delivered. `php artisan spool:flush {$bucket}` delivers it.");
    }

    public static function beingFlushed(string $bucket): self
    {
        return new self("Bucket '{$bucket}' is being flushed by another process. Try again when that is done, or stop it with `php artisan spool:pause {$bucket}`.");
    }

    public static function begunForAnotherSink(string $bucket, string $begun, string $now): self
    {
        return new self("Bucket '{$bucket}' has a range that was begun for the sink {$begun}; its settings now name {$now}. Whether that range arrived is only known there: set the old settings again and flush once, then change them. Where that sink is gone for good, `php artisan spool:replay {$bucket} --from-now --again` lets the range go to the new one, whether it arrived or not.");
    }

    public static function endedInTheMiddle(string $bucket): self
    {
        return new self("The process that handed events of bucket '{$bucket}' to its sink ended in the middle of it: by exit() or die(), by a fatal error, which PHP's error log has, or it was killed. The same events come again, those that arrived as well. If it goes on, look at what its sink or handler calls; for sinks of single events the setting 'tries' sets such an event aside.");
    }

    public static function plannedEndNotFound(string $bucket, string $end): self
    {
        return new self("Bucket '{$bucket}' has a range that was begun and ends at {$end}, but the log ends before. A segment was removed; restore it.");
    }

    public static function notOwner(string $bucket, int $seconds): self
    {
        return new self("Another process owns bucket '{$bucket}' in Redis by now: this one had not been heard of for {$seconds} s. It has stopped; nothing is lost, and what a sink without a ledger had just received may arrive once more.");
    }

    public static function entryOfNewerVersion(string $bucket, string $id, int $version): self
    {
        return new self("Entry {$id} in the stream of bucket '{$bucket}' has version {$version}, which this one can not read. A newer version wrote it: flush with that version.");
    }

    public static function replicasBehind(string $bucket, int $confirmed, int $replicas, int $millis): self
    {
        return new self("Bucket '{$bucket}' was not delivered: {$confirmed} of {$replicas} replicas of Redis confirmed within {$millis} ms that they have what is to be delivered. Were one of them to take over, the same places would be given to other events. The next flush tries again; see INFO replication for the lag.");
    }

    /** @param string $there cursor that Redis has */
    public static function drainedElsewhere(string $bucket, string $there, string $here): self
    {
        return new self("Bucket '{$bucket}': what waits on this machine's disk is being brought back into Redis by another process as well (it stands at {$there}, this one at {$here}). This one has stopped; nothing is lost or doubled.");
    }

    public static function redisUnknown(string $bucket): self
    {
        return new self("Bucket '{$bucket}' has store 'redis', and no Redis connection is set up here.");
    }

    public static function ledgerUnknown(string $bucket, string $reason): self
    {
        return new self("What waits on this machine's disk of bucket '{$bucket}' could not be brought into Redis yet, for it is not known how much of it was delivered from here: {$reason}");
    }

    public static function notBroughtBack(string $bucket, string $reason): self
    {
        return new self("What waits on this machine's disk of bucket '{$bucket}' could not be brought into Redis, or not all of it: {$reason} What is in Redis is delivered all the same.", true);
    }

    public static function notReplicated(int $confirmed, int $wanted, int $millis): self
    {
        return new self("{$confirmed} of {$wanted} replicas of Redis confirmed within {$millis} ms that they have it, as spool.redis.wait asks for; so the disk keeps it.");
    }
}
