<?php

declare(strict_types=1);

namespace Headroom\Console;

use Headroom\Support\PhpRestrictions;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\StreamableInputInterface;

/**
 * @internal
 */
final readonly class Prompt
{
    /** Whether a person can answer a question. Symfony also accepts a "yes" that comes from a pipe. */
    public static function isPossible(InputInterface $input): bool
    {
        $isGiven = $input instanceof StreamableInputInterface && $input->getStream() !== null;

        return $input->isInteractive()
            && ($isGiven || (defined('STDIN') && PhpRestrictions::call('stream_isatty', STDIN) === true));
    }
}
