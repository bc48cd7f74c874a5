<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

use Headroom\Core\Permanent;
use Headroom\Core\Problem;
use RuntimeException;

/**
 * A directory that is no dead machine's buffer, or can not be delivered from here. Nothing in it was changed.
 *
 * @internal
 */
final class UnableToAdopt extends RuntimeException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function noBuffer(string $root): self
    {
        return new self("{$root} is no buffer: a buffer's directory holds the file 'node' with 32 hex digits and the directory 'buckets'. Name that directory, by default storage/app/private/buffer of the application that wrote it. Where only 'node' is lost, put the id back: it stands behind \"node\" at the beginning of every file in buckets/*/active, sealed and completed.");
    }

    public static function ownRoot(string $root, string $own): self
    {
        return new self("{$root} is this application's own buffer ({$own}): spool:flush delivers it.");
    }

    public static function ownNode(string $root, string $node): self
    {
        return new self("{$root} has the node id of this machine's own buffer, {$node}: one of both is a copy, of a cloned machine or a restored backup. Under one id the ledger can not tell the events of the two apart. What was in it when it was copied is delivered from here; what only the copy has accepted since is shown by `spool:peek` and `spool:verify` on the machine that wrote it. Nothing was changed.");
    }

    public static function obstacle(string $root, Problem $problem, bool $isNetwork): self
    {
        return new self("{$root} can not be delivered from here. {$problem->subject}: {$problem->message} ".($isNetwork
            ? 'Copy it to a local disk while nobody writes to it (cp -a), and adopt the copy, or set spool.allow_network_filesystem.'
            : $problem->mend));
    }

    public static function unconfirmed(string $root): self
    {
        return new self("Nobody was there to confirm that no process on another machine writes to {$root} or flushes it. Make sure of it, and run this command again with --force. Nothing was changed.");
    }
}
