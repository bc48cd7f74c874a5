<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\Evidence;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class KernelLogLine
{
    public function __construct(public float $secondsAgo, public string $text) {}

    public function evidence(): Evidence
    {
        return new Evidence(
            sprintf(
                '%s ago',
                $this->secondsAgo < 5_400.0
                    ? sprintf('%.0f min', $this->secondsAgo / 60.0)
                    : sprintf('%.0f h', $this->secondsAgo / 3_600.0),
            ),
            TerminalText::name($this->text),
            'dmesg',
        );
    }
}
