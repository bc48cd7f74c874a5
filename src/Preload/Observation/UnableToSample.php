<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * @internal
 */
final class UnableToSample extends RuntimeException implements Permanent
{
    public static function directory(string $directory, string $reason): self
    {
        return new self(
            "No request is observed for preloading: {$directory} can not be made: {$reason}. Make it, so that the user"
                .' of the workers may write there.',
        );
    }

    public static function file(string $file, string $reason): self
    {
        return new self(
            "No request is observed for preloading: {$file} can not be written: {$reason}. The user of the workers must"
                .' be able to make files in its directory.',
        );
    }

    public static function tooManyNodes(string $directory, int $seen, int $most): self
    {
        return new self(
            "This node is not observed for preloading: {$directory} has samples of {$seen} nodes, and {$most} are"
                .' allowed. Remove those of nodes that are gone.',
        );
    }
}
