<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\FactUnavailable;
use SensitiveParameter;

/**
 * The address of a server, with the account.
 *
 * @internal
 */
final readonly class RedisAddress
{
    /**
     * @param string $place tcp://host:port, tls://host:port or unix:///path
     * @param list<string> $uses session, cache, queue
     */
    public function __construct(
        public string $place,
        #[SensitiveParameter] public string $password = '',
        public string $user = '',
        public array $uses = [],
    ) {}

    /** @return list<self> each place once */
    public static function of(Application $app): array
    {
        $addresses = [];

        $redis = new RedisUsage($app);

        foreach ($redis->used() as $part => $name) {
            if (! in_array($name, $redis->inUse(), true)) {
                continue;
            }

            $address = self::ofConnection($app, "database.redis.{$name}");
            $known = $addresses[$address->place] ?? $address;
            $addresses[$address->place] = new self($known->place, $known->password, $known->user, [
                ...$known->uses, $part,
            ]);
        }

        return array_values($addresses);
    }

    /**
     * An address of the command line: host:port, /path of a socket, redis://user:password@host:port, rediss://host.
     *
     * @param string $password if the text has none
     */
    public static function parse(#[SensitiveParameter] string $text, #[SensitiveParameter] string $password = ''): ?self
    {
        if (str_starts_with($text, '/')) {
            return new self("unix://{$text}", $password);
        }

        if (preg_match(
            '~\A(redis|rediss|tcp|tls)://(?:([^:/@]*)(?::([^/@]*))?@)?'
            .'(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?(?:/\d*)?\z~',
            str_contains($text, '://') ? $text : "redis://{$text}",
            $m,
        ) !== 1 || (int) ($m[5] ?? 6379) < 1 || (int) ($m[5] ?? 6379) > 65_535) {
            return null;
        }

        $given = rawurldecode($m[3]);

        return new self(
            self::place(in_array($m[1], ['rediss', 'tls'], true), $m[4], (int) ($m[5] ?? 0)),
            $given === '' ? $password : $given,
            rawurldecode($m[2]),
        );
    }

    /**
     * The caller closes it.
     *
     * @throws FactUnavailable
     */
    public function wire(): RedisClient
    {
        $wire = RedisClient::to($this->place);

        if ($this->password !== '') {
            $wire->ask('AUTH', ...($this->user === '' ? [] : [$this->user]), ...[$this->password]);
        }

        return $wire;
    }

    /** @throws FactUnavailable if it cannot be parsed, so that no other server is judged in its place */
    private static function ofConnection(Application $app, string $key): self
    {
        foreach (["{$key}.url", "{$key}.host"] as $named) {
            $text = $app->text($named);

            // The value may contain a password, so it is not shown.
            if (str_contains($text, '://')) {
                return self::ofUrl($text, $app, $key) ?? throw FactUnavailable::because(
                    "{$named} is not a valid address.",
                    "artisan config:show {$key}",
                );
            }

            if ($text !== '' && $named === "{$key}.url") {
                throw FactUnavailable::because("{$named} is not a URL.", "artisan config:show {$key}");
            }
        }

        $host = $app->text("{$key}.host");
        $path = $app->text("{$key}.scheme") === 'unix'
            ? $app->text("{$key}.path")
            : (str_starts_with($host, '/') ? $host : '');

        if ($path === '' && $host === '') {
            throw FactUnavailable::because("{$key}.host is not a text.", "artisan config:show {$key}");
        }

        $isTls = in_array($app->text("{$key}.scheme"), ['tls', 'rediss'], true);

        return new self(
            $path !== '' ? "unix://{$path}" : self::place($isTls, $host, (int) $app->text("{$key}.port")),
            ...self::credentials($app, $key),
        );
    }

    private static function ofUrl(string $url, Application $app, string $key): ?self
    {
        $parts = parse_url($url);
        [$password, $user] = self::credentials($app, $key);

        if (str_starts_with($url, 'unix:///')) {
            return new self($url, $password, $user);
        }

        if (! is_array($parts) || ($parts['host'] ?? '') === '') {
            return null;
        }

        $given = rawurldecode($parts['pass'] ?? '');

        return new self(
            self::place(
                in_array($parts['scheme'] ?? '', ['tls', 'rediss'], true),
                $parts['host'],
                $parts['port'] ?? (int) $app->text("{$key}.port"),
            ),
            $given === '' ? $password : $given,
            rawurldecode($parts['user'] ?? '') === '' ? $user : rawurldecode($parts['user'] ?? ''),
        );
    }

    private static function place(bool $isTls, string $host, int $port): string
    {
        $host = str_contains($host, ':') && ! str_starts_with($host, '[') ? "[{$host}]" : $host;

        return ($isTls ? 'tls' : 'tcp')."://{$host}:".($port > 0 ? $port : 6379);
    }

    /** @return array{string, string} password and user; Laravel takes both as a list as well */
    private static function credentials(Application $app, string $key): array
    {
        $password = $app->value("{$key}.password");

        if (is_array($password)) {
            $words = array_values(array_filter($password, is_string(...)));

            return count($words) > 1 ? [$words[1], $words[0]] : [$words[0] ?? '', ''];
        }

        return [$app->text("{$key}.password"), $app->text("{$key}.username")];
    }
}
