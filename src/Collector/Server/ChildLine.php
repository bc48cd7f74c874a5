<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * A supervisor's end of the line to a process that it started.
 *
 * @internal
 */
interface ChildLine
{
    /** @return ?resource to be waited for; null when nothing can come from it any more */
    public function line();

    /** @return list<string> without their line feeds; what it said before it ended is heard after that, too */
    public function hear(): array;

    public function tell(string $line): void;
}
