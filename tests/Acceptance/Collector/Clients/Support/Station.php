<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients\Support;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use RuntimeException;

/**
 * A collector that asks for keys, and a key of the name `web` for those who send to it.
 */
final readonly class Station
{
    private function __construct(public Running $collector, public string $key) {}

    /**
     * @param list<string> $scope options of collect:key create
     * @param array<string, mixed> $collector
     * @param array<string, mixed> $bucket
     */
    public static function open(array $scope = [], array $collector = [], array $bucket = []): self
    {
        $home = TemporaryDirectory::create('collector');
        $settings = $collector
            + ['listen' => '127.0.0.1:0', 'admin' => '127.0.0.1:0', 'workers' => 1, 'flushers' => 0, 'intake' => []];
        $spool = [
            'path' => "{$home->path}/spool",
            'min_free_bytes' => 0,
            'buckets' => ['events' => $bucket + ['sink' => 'file', 'path' => "{$home->path}/out.ndjson"]],
        ];
        Running::configure($home->path, $settings, $spool);
        $key = self::made($home->path, $scope);

        return new self(Running::start($settings, $spool, home: $home), $key);
    }

    public function url(): string
    {
        return "http://{$this->collector->address()}";
    }

    /** @return array<string, string> as docs/collector-formats.md has them */
    public function env(): array
    {
        return ['EVENTS_URL' => $this->url(), 'EVENTS_KEY' => $this->key];
    }

    /** @return array<string, array<array-key, mixed>> what is in the bucket, by id */
    public function rows(): array
    {
        $rows = [];

        foreach ($this->lines() as $line) {
            $row = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            $id = is_array($row) ? $row['id'] ?? null : null;

            if (! is_array($row) || ! is_string($id) || isset($rows[$id])) {
                throw new RuntimeException("No event, or one that is there twice: {$line}");
            }

            $rows[$id] = array_diff_key($row, ['_id' => 1, '_accepted_at' => 1]);
        }

        return $rows;
    }

    /** @return array<array-key, mixed> the only one there is */
    public function row(): array
    {
        $rows = $this->rows();

        return count($rows) === 1
            ? $rows[array_key_first($rows)]
            : throw new RuntimeException(count($rows).' events are there, not one: '.json_encode($rows));
    }

    /** @return list<string> JSON, as the sink wrote it */
    public function lines(): array
    {
        $this->collector->collected();
        $text = @file_get_contents("{$this->collector->directory}/out.ndjson");

        return $text === false || $text === '' ? [] : explode("\n", trim($text));
    }

    /** @param list<string> $scope */
    public static function made(string $directory, array $scope, string $name = 'web'): string
    {
        [$exit, $output] = Running::run($directory, 'collect:key', 'create', $name, '--json', ...$scope);
        $made = json_decode($output, true);
        $key = is_array($made) ? $made['key'] ?? null : null;

        return $exit === 0 && is_string($key) ? $key : throw new RuntimeException($output);
    }
}
