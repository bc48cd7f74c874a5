<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

/**
 * What could be learnt about one nginx.
 *
 * @internal
 */
final readonly class NginxResult
{
    /**
     * @param ?NginxFacts $facts null where its configuration is not known
     * @param ?string $reason why it is not known; or why it was read from files or what is unsure about it,
     *     with the command that would tell
     * @param ?NginxMaster $master null where none runs
     * @param string $command what would tell where it is not known, as somebody types it; '' where nothing would
     */
    public function __construct(
        public ?NginxFacts $facts,
        public ?string $reason,
        public ?NginxVersion $version,
        public ?NginxMaster $master,
        public string $command = '',
    ) {}
}
