<?php

declare(strict_types=1);

namespace Headroom\Host;

use Headroom\Process\InvalidServerConfig;

/**
 * The PHP application to serve.
 *
 * @internal
 */
final readonly class WebConfig
{
    /**
     * @param string $frontController absolute path of the script that answers every request
     * @param int $workers PHP processes
     * @param array<string, string> $env of the workers; of the starter's environment they get only PATH
     * @param array<string, string|int|bool> $ini
     * @param string $user of the workers if root starts them; this user must be able to read the files
     * @param ?string $documentRoot the web server serves files in it; null means the front controller's directory
     * @param ?int $requestTerminateSeconds FPM kills a worker whose request takes longer
     * @param ?string $statusPath where FPM's status page is served, such as "/fpm-status"
     * @param bool $accessLog nginx, combined format, in its directory
     * @param int<1, max> $nginxWorkers
     * @param ?int $slowSeconds FPM writes each request that takes longer to its slow log
     */
    public function __construct(
        public string $frontController,
        public int $workers = 4,
        public array $env = [],
        public array $ini = [],
        public string $user = 'www-data',
        public ?string $documentRoot = null,
        public ?int $requestTerminateSeconds = null,
        public ?string $statusPath = null,
        public bool $accessLog = false,
        public int $nginxWorkers = 1,
        public ?int $slowSeconds = null,
    ) {
        if (! is_file($frontController) || $frontController[0] !== '/') {
            throw InvalidServerConfig::noFile('The front controller', $frontController);
        }

        if ($workers < 1 || $workers > 1000) {
            throw InvalidServerConfig::number('The number of workers', $workers, 'from 1 to 1000');
        }
    }

    public function root(): string
    {
        return $this->documentRoot ?? dirname($this->frontController);
    }
}
