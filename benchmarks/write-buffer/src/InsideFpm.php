<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use RuntimeException;
use Workbench\Rig\Rig;

/**
 * Measures inside a real FPM worker.
 */
final readonly class InsideFpm
{
    public function __construct(private int $rounds) {}

    /** @return array{append: array<string, mixed>, facade: array<string, mixed>} */
    public function run(): array
    {
        $directory = TemporaryDirectory::create('append', UnixUser::forWorkers(Rig::user()));
        $stack = WebStack::start(new WebConfig(
            dirname(__DIR__).'/inside.php',
            user: Rig::user(),
            workers: 1,
            env: ['WORKBENCH_STORAGE' => "{$directory->work}/workbench", 'DB_CONNECTION' => 'sqlite'],
            ini: [
                'opcache.enable' => true,
                'opcache.validate_timestamps' => false,
                'max_execution_time' => 0,
                'memory_limit' => '1G',
            ],
        ));

        try {
            $ask = static function (string $path, int $rounds) use ($stack, $directory): array {
                $url = "{$stack->url()}/{$path}?"
                    .http_build_query(['dir' => "{$directory->work}/{$path}", 'rounds' => $rounds]);
                $answer = file_get_contents(
                    $url,
                    false,
                    stream_context_create(['http' => ['timeout' => 300, 'ignore_errors' => true]]),
                );

                return json_decode((string) $answer, true)
                    ?? throw new RuntimeException("{$url} answered: ".substr((string) $answer, 0, 500));
            };

            $ask('append', 2);
            $ask('facade', 2);

            return ['append' => $ask('append', $this->rounds), 'facade' => $ask('facade', $this->rounds)];
        } finally {
            $stack->stop();
            $directory->remove();
        }
    }
}
