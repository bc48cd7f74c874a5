<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

use Headroom\Core\Finding;
use Headroom\Core\Permanent;
use RuntimeException;

/**
 * The directory is not the buffer of another machine, or cannot be delivered from here. Nothing in it was changed.
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
        return new self(
            "{$root} is not a buffer: a buffer has the file 'node' with 32 hex digits and the directory 'buckets'. Name"
                ." the directory of one; if only 'node' is lost, see docs/errors.md#node-lost.",
        );
    }

    public static function ownRoot(string $root, string $own): self
    {
        return new self("{$root} is this application's own buffer ({$own}): spool:flush delivers it.");
    }

    public static function ownNode(string $root, string $node): self
    {
        return new self(
            "{$root} has the node id of this machine's own buffer, {$node}: one is a copy of the other, and the ledger"
                .' cannot tell their events apart. Nothing was changed; see docs/errors.md#same-node.',
        );
    }

    public static function obstacle(string $root, Finding $problem, bool $isNetwork): self
    {
        return new self("{$root} cannot be delivered from here. {$problem->subject}: {$problem->message} ".($isNetwork
            ? 'Copy it to a local disk while no process writes to it (cp -a), and adopt the copy, or set'
                .' spool.allow_network_filesystem.'
            : $problem->fix));
    }

    public static function unconfirmed(string $root): self
    {
        return new self(
            "Adopting {$root} needs a confirmation that no process on another machine writes to it or flushes it, and"
                .' there is no terminal to ask. Make sure of it, and run this command again with --force.',
        );
    }
}
