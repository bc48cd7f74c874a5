<?php

declare(strict_types=1);

namespace Headroom\Bench\Results;

/**
 * The file that results stand in, and what makes it anew.
 *
 * @internal
 */
final readonly class Origin
{
    /** Those that measure one part alone with PART=NAME. */
    private const IN_PARTS = ['write-buffer', 'bottleneck', 'queues', 'collector'];

    public function __construct(public string $file, private string $experiment, private bool $isQuick = false) {}

    public function quick(bool $isQuick): self
    {
        return new self($this->file, $this->experiment, $isQuick);
    }

    /** @param list<string> $path of what is wrong in it; that of a part is measured alone */
    public function command(array $path = []): string
    {
        $part = in_array($this->experiment, self::IN_PARTS, true) && ($path[0] ?? '') === 'parts' ? $path[1] ?? '' : '';
        $isName = preg_match('/\A[a-z][a-z0-9_-]*\z/', $part) === 1;

        return ($this->isQuick ? 'QUICK=1 ' : '').($isName ? "PART={$part} " : '').'make '
            .($this->experiment === 'torture' ? '' : 'bench-').$this->experiment;
    }
}
