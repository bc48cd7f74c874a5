<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

use Exception;
use Headroom\Core\HeadroomException;

/**
 * The bytes are not a Protocol Buffers message of the expected type.
 *
 * @internal
 */
final class MalformedProtobuf extends Exception implements HeadroomException
{
    public static function because(string $reason, int $at): self
    {
        return new self("{$reason}, at byte {$at}");
    }

    public static function tooLarge(string $message, int $bytes, int $limit): self
    {
        return new self("{$message} has {$bytes} bytes; {$limit} are the limit");
    }

    public static function field(string $message, string $field, string $reason): self
    {
        return new self("{$message}.{$field} {$reason}");
    }
}
