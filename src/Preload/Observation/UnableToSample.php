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
            "No request is sampled for preloading, because {$directory} cannot be created: {$reason}. Create it so that"
                .' the user of the workers may write there.',
        );
    }

    public static function file(string $file, string $reason): self
    {
        return new self(
            "No request is sampled for preloading, because {$file} cannot be written: {$reason}. Let the user of the"
                .' workers create files in its directory.',
        );
    }

    public static function tooManyNodes(string $directory, int $seen, int $most): self
    {
        return new self(
            "This node is not sampled for preloading, because {$directory} has samples of {$seen} nodes, and at most"
                ." {$most} are allowed. Remove the files of nodes that are gone.",
        );
    }
}
