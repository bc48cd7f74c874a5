<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Prometheus;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;
use Headroom\Tests\Support\Fetched;
use Headroom\Tests\Support\Promtool;
use RuntimeException;

/**
 * A Prometheus of the test's own that scrapes one address each second: on a loopback port, with a directory of its
 * own.
 */
final readonly class PrometheusServer
{
    private const TRIES = 3;

    private function __construct(
        private ChildProcess $process,
        private int $port,
        private TemporaryDirectory $directory,
    ) {}

    /**
     * @param string $target host and port
     * @param string $token of the address
     * @param string $rules content of the file
     */
    public static function scraping(string $target, string $token, string $rules): self
    {
        $program = Promtool::program('prometheus');
        $directory = TemporaryDirectory::create('prometheus');
        $directory->write('token', $token);
        $directory->write('rules.yml', $rules);
        $directory->write('prometheus.yml', <<<YAML
            global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
            rule_files: ['{$directory->file('rules.yml')}']
            scrape_configs:
              - job_name: shop
                metrics_path: /headroom/metrics
                authorization: {credentials_file: '{$directory->file('token')}'}
                static_configs: [{targets: ['{$target}']}]
            YAML);

        for ($try = 1; ; $try++) {
            try {
                return self::attempt($program, $directory);
            } catch (UnableToStart $e) {
                // Another process may have taken the port after it was found free.
                if ($try === self::TRIES || ! str_contains($e->log, 'address already in use')) {
                    $directory->remove();

                    throw $e;
                }
            }
        }
    }

    private static function attempt(string $program, TemporaryDirectory $directory): self
    {
        $port = Ports::free();
        $process = ChildProcess::start(new ProcessOptions('prometheus', [
            $program,
            "--config.file={$directory->file('prometheus.yml')}",
            "--storage.tsdb.path={$directory->file('data')}",
            "--web.listen-address=127.0.0.1:{$port}",
            '--log.level=warn',
        ], $directory->file('log')));
        $server = new self($process, $port, $directory);
        $process->awaitReady(static fn (): bool => Ports::accepts($port)
            && Fetched::from("http://127.0.0.1:{$port}/-/ready")->status === 200);

        return $server;
    }

    public function stop(): void
    {
        $this->process->stop();
        $this->directory->remove();
    }

    /** @return list<array{metric: array<string, string>, value: string}> of an instant query */
    public function query(string $expression): array
    {
        $answer = $this->get('query?query='.rawurlencode($expression));
        $samples = [];

        /** @var array{metric: array<string, string>, value: array{float, string}} $sample */
        foreach (is_array($answer['result'] ?? null) ? $answer['result'] : [] as $sample) {
            $samples[] = ['metric' => $sample['metric'], 'value' => $sample['value'][1]];
        }

        return $samples;
    }

    /** @return array<string, string> "pending" or "firing" by alert and bucket */
    public function alerts(): array
    {
        $states = [];

        /** @var array{labels: array<string, string>, state: string} $alert */
        foreach (is_array($alerts = $this->get('alerts')['alerts'] ?? null) ? $alerts : [] as $alert) {
            $states[trim("{$alert['labels']['alertname']} ".($alert['labels']['bucket'] ?? ''))] = $alert['state'];
        }

        return $states;
    }

    /** @return array<string, array{string, string, string}> expression, health and last error by rule */
    public function rules(): array
    {
        $rules = [];

        /** @var array{rules: list<array{name: string, query: string, health: string, lastError?: string}>} $group */
        foreach (is_array($groups = $this->get('rules')['groups'] ?? null) ? $groups : [] as $group) {
            foreach ($group['rules'] as $rule) {
                $rules[$rule['name']] = [$rule['query'], $rule['health'], $rule['lastError'] ?? ''];
            }
        }

        return $rules;
    }

    /** @return array{string, string} health of the scraped address, and the last error */
    public function target(): array
    {
        /** @var list<array{health: string, lastError: string}> $targets */
        $targets = $this->get('targets')['activeTargets'] ?? [];

        return [$targets[0]['health'] ?? 'missing', $targets[0]['lastError'] ?? ''];
    }

    /** @return array<string, mixed> */
    private function get(string $path): array
    {
        $answer = Fetched::from("http://127.0.0.1:{$this->port}/api/v1/{$path}");
        $document = json_decode($answer->body, true, 64, JSON_THROW_ON_ERROR);

        if ($answer->status !== 200 || ! is_array($document) || ! is_array($document['data'] ?? null)) {
            throw new RuntimeException("{$path}: {$answer->status} {$answer->body}");
        }

        /** @var array<string, mixed> $data */
        $data = $document['data'];

        return $data;
    }
}
