<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use RuntimeException;

/**
 * A front controller published from a headroom.php, behind nginx and FPM.
 */
final class PublishedSite
{
    private ?WebStack $stack = null;

    public readonly string $directory;

    private function __construct(private readonly TemporaryDirectory $home)
    {
        $this->directory = $home->path;
    }

    /**
     * @param array<string, mixed> $collector
     * @param array<string, mixed> $spool
     */
    public static function publish(array $collector = [], array $spool = []): self
    {
        if (! WebStack::isInstalled()) {
            MissingServer::named('nginx', 'nginx and PHP-FPM are not installed: bin/services install nginx fpm');
        }

        $site = new self(TemporaryDirectory::create('published'));
        mkdir("{$site->directory}/public");
        Running::configure($site->directory, $collector, $spool);
        $site->command('collect:publish');

        return $site;
    }

    /** @param array<string, string|int|bool> $ini */
    public function serve(int $workers = 4, string $user = 'root', array $ini = []): self
    {
        $this->stack = WebStack::start(new WebConfig(
            "{$this->directory}/public/ingest.php",
            workers: $workers,
            user: $user,
            ini: $ini,
        ));

        return $this;
    }

    public function stack(): WebStack
    {
        return $this->stack ?? throw new RuntimeException('It is not served.');
    }

    public function address(): string
    {
        return substr($this->stack()->url(), 7);
    }

    public function command(string ...$words): string
    {
        [$exit, $output] = Running::run($this->directory, ...$words);

        return $exit === 0 ? $output : throw new RuntimeException($output);
    }

    /** @return array{int, array<string, string>, string} status, headers, body */
    public function post(string $body, string ...$headers): array
    {
        return Wire::ask(
            $this->address(),
            'POST',
            '/v1/events',
            ['Content-Type: application/json', ...array_values($headers)],
            $body,
        );
    }

    public function log(): string
    {
        return (string) @file_get_contents($this->stack()->file('fpm.log'))
            .(string) @file_get_contents($this->stack()->file('nginx.log'));
    }

    /** @return list<string> ids of all events that are in the buffer */
    public function collected(): array
    {
        $this->command('spool:flush', 'events');
        $ids = [];

        foreach (is_file("{$this->directory}/out.ndjson") ? explode(
            "\n",
            trim((string) file_get_contents("{$this->directory}/out.ndjson")),
        ) : [] as $line) {
            $event = json_decode($line, true);
            $ids[] = is_array($event) && is_string($event['id'] ?? null) ? $event['id'] : "? {$line}";
        }

        return $ids;
    }

    public function remove(): void
    {
        $this->stack?->stop();
        $this->home->remove();
    }
}
