<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Kernel\Process\OpenFileLimit;
use Headroom\Doctor\Kernel\Process\ServerProcesses;

/**
 * @internal
 */
final readonly class ServerOpenFiles implements Check
{
    private const SHARE = 0.8;

    public function examine(Facts $facts): iterable
    {
        [$known, $unknown] = $facts->get(ServerProcesses::class)->ask(OpenFileLimit::of(...));
        usort($known, static fn (OpenFileLimit $a, OpenFileLimit $b): int => $b->share() <=> $a->share());
        $full = array_filter($known, static fn (OpenFileLimit $files): bool => $files->share() > self::SHARE);

        foreach ($full as $files) {
            yield Finding::fail(
                "The process has {$files->open} of {$files->limit} files open.",
                [$files->evidence()],
                $files->raised(),
            )->about($files->process->name())->observed();
        }

        yield from $unknown;

        if ($full === [] && $known !== []) {
            yield Finding::pass('the servers may open more files', $known[0]->evidence());
        }
    }
}
