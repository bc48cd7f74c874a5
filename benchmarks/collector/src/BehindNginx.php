<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Dev\Nginx\ProxyConfig;
use Headroom\Host\Nginx\Nginx;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;

/**
 * nginx in front of collectors.
 */
final readonly class BehindNginx
{
    public string $url;

    private function __construct(private Nginx $nginx, private TemporaryDirectory $directory)
    {
        $this->url = "http://127.0.0.1:{$nginx->port}";
    }

    /** @param non-empty-list<string> $servers */
    public static function start(array $servers): self
    {
        $account = UnixUser::forWorkers('www-data');
        $directory = TemporaryDirectory::create('proxy', $account);

        return new self(Nginx::start(new ProxyConfig($servers, $account, kept: 1024), $directory), $directory);
    }

    public function stop(): void
    {
        $this->nginx->stop();
        $this->directory->remove();
    }
}
