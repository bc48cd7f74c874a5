<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * What a check is for: its page in docs/checks/ is made of this.
 */
final readonly class Rule
{
    /**
     * @param string $id a letter for the layer and a number, which stays: N5
     * @param string $title what is wrong when it fires
     * @param string $why how it comes to hurt, in whole sentences
     * @param string $fires when exactly
     * @param non-empty-list<string> $sources addresses of documentation, source or a report
     * @param int $minutes that mending takes somebody who knows the machine
     */
    public function __construct(
        public string $id,
        public string $title,
        public Severity $severity,
        public Layer $layer,
        public string $why,
        public string $fires,
        public array $sources,
        public int $minutes = 5,
    ) {}
}
