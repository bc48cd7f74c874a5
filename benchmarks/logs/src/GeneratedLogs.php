<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Logs;

use Random\Engine\Mt19937;
use Random\Randomizer;
use RuntimeException;

/**
 * Logs of a busy Laravel application, generated from a seed: thousands of different frames, URIs and clients, many
 * lines in each second.
 */
final readonly class GeneratedLogs
{
    public const KINDS = ['slow', 'nginx_error', 'fpm_error', 'access'];

    private const WAITS = [
        [
            'connect() %sRedis/Connectors/PhpRedisConnector.php:173',
            'establishConnection() %sRedis/Connectors/PhpRedisConnector.php:91',
            'get() %sCache/RedisStore.php:60',
            'get() %sCache/Repository.php:110',
            'read() %sSession/Store.php:116',
        ],
        [
            'execute() %sDatabase/Connection.php:430',
            'Illuminate\Database\{closure}() %sDatabase/Connection.php:812',
            'runQueryCallback() %sDatabase/Connection.php:779',
            'select() %sDatabase/Query/Builder.php:2913',
        ],
        [
            'curl_exec() /srv/shop/releases/31/vendor/guzzlehttp/guzzle/src/Handler/CurlHandler.php:44',
            'send() %sHttp/Client/PendingRequest.php:1100',
        ],
        ['preg_match() /srv/shop/releases/31/app/Services/Words.php:77'],
    ];

    private const ERRORS = [
        'upstream timed out (110: Connection timed out) while reading response header from upstream',
        'upstream timed out (110: Connection timed out) while reading response header from upstream',
        'connect() to unix:/run/php/php8.2-fpm.sock failed (11: Resource temporarily unavailable) while connecting'
            .' to upstream',
        'recv() failed (104: Connection reset by peer) while reading response header from upstream',
        'open() "/srv/shop/current/public/images/%d.jpg" failed (2: No such file or directory)',
    ];

    private const START = 1_773_480_000;

    private Randomizer $random;

    public function __construct(int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    public function write(string $kind, string $path, int $bytes): void
    {
        $file = fopen($path, 'w') ?: throw new RuntimeException("{$path} could not be made.");
        for ($i = 0, $written = 0; $written < $bytes; $i++) {
            $text = match ($kind) {
                'slow' => $this->trace($i),
                'nginx_error' => $this->nginxError($i),
                'fpm_error' => $this->fpmError($i),
                default => $this->access($i),
            };
            $length = fwrite($file, $text);
            $written += $length === strlen($text)
                ? $length
                : throw new RuntimeException("{$path} could not be written: is the disk full?");
        }

        fclose($file);
    }

    private function trace(int $i): string
    {
        $framework = '/srv/shop/releases/31/vendor/laravel/framework/src/Illuminate/';
        $controller = $this->random->getInt(1, 200);
        $frames = [
            ...array_map(
                static fn (string $frame): string => sprintf($frame, $framework),
                self::WAITS[$this->random->getInt(0, 3)],
            ),
            sprintf(
                'find() /srv/shop/releases/31/app/Models/Model%d.php:%d',
                $controller,
                $this->random->getInt(10, 40),
            ),
            sprintf(
                'index() /srv/shop/releases/31/app/Http/Controllers/Controller%d.php:%d',
                $controller,
                $this->random->getInt(10, 20),
            ),
            "callAction() {$framework}Routing/ControllerDispatcher.php:43",
        ];

        for ($step = $this->random->getInt(10, 24); $step > 0; $step--) {
            $frames[] = sprintf(
                'Illuminate\Pipeline\{closure}() /srv/shop/releases/31/app/Http/Middleware/Step%d.php:21',
                $step,
            );
            $frames[] = "handle() {$framework}Pipeline/Pipeline.php:209";
        }

        $text = sprintf(
            "\n[%s]  [pool www] pid %d\nscript_filename = /srv/shop/current/public/index.php\n",
            gmdate('d-M-Y H:i:s', self::START + intdiv($i, 20)),
            $this->random->getInt(1_000, 9_000),
        );

        foreach ([...$frames, 'handle() /srv/shop/releases/31/public/index.php:17'] as $at => $frame) {
            $text .= sprintf("[0x%016x] %s\n", 0x7F5AB5C13B90 - 0x90 * $at, $frame);
        }

        return $text;
    }

    private function nginxError(int $i): string
    {
        return sprintf(
            '%s [error] 2371#2371: *%d %s, client: 203.0.%d.%d, server: shop.example, request: "GET /videos/%d?page=%d'
                ." HTTP/1.1\", upstream: \"fastcgi://unix:/run/php/php8.2-fpm.sock\", host: \"shop.example\"\n",
            gmdate('Y/m/d H:i:s', self::START + intdiv($i, 20)),
            $i,
            sprintf(self::ERRORS[$this->random->getInt(0, 4)], $i),
            $this->random->getInt(0, 255),
            $this->random->getInt(1, 254),
            $this->random->getInt(1, 3_000),
            $i,
        );
    }

    private function fpmError(int $i): string
    {
        $child = $this->random->getInt(1_000, 30_000);

        return sprintf('[%s] ', gmdate('d-M-Y H:i:s', self::START + intdiv($i, 20)))
            .match ($this->random->getInt(0, 3)) {
                0 => "NOTICE: [pool www] child {$child} exited with code 0 after 4852.680364 seconds from start\n",
                1 => "NOTICE: [pool www] child {$child} started\n",
                2 => "WARNING: [pool www] child {$child}, script '/srv/shop/current/public/index.php' (request:"
                    ." \"GET /index.php?page={$i}\") executing too slow (2.123456 sec), logging\n",
                default => "WARNING: [pool www] server reached pm.max_children setting (25), consider raising it\n",
            };
    }

    private function access(int $i): string
    {
        return sprintf(
            '203.0.%d.%d - - [%s +0000] "GET /videos/%d?page=%d HTTP/1.1" %d %d "https://shop.example/"'
                ." \"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\" rt=%.3f urt=\"%.3f\"\n",
            $this->random->getInt(0, 255),
            $this->random->getInt(1, 254),
            gmdate('d/M/Y:H:i:s', self::START + intdiv($i, 200)),
            $this->random->getInt(1, 3_000),
            $i,
            [200, 200, 302, 404, 504][$this->random->getInt(0, 4)],
            $this->random->getInt(200, 90_000),
            $this->random->getInt(1, 9_000) / 1_000,
            $this->random->getInt(1, 9_000) / 1_000,
        );
    }
}
