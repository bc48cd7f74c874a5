<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The headers that a bucket's settings `headers` and `auth` add to a request. No message contains a secret.
 *
 * @internal
 */
final readonly class HeaderOptions
{
    private const TEXT = 'a non-empty string without control characters';

    private const AUTH =
        "one of ['basic' => 'user:password'], ['api_key' => 'the encoded key'], ['bearer' => 'the token']";

    /**
     * @param list<string> $reserved headers that the settings may not set, in lower case
     * @param array<string, string> $defaults sent unless the settings have the header; names are compared without case
     * @return array<string, string>
     *
     * @throws InvalidConfig its message does not show the values
     */
    public static function read(ConfigReader $options, array $reserved, array $defaults): array
    {
        try {
            $given = $options->section('headers');
        } catch (InvalidConfig $e) {
            throw InvalidConfig::notShown($e->key, "an array by name, such as ['Authorization' => 'Bearer …']");
        }

        $headers = array_filter(
            $defaults,
            static fn (string $name): bool
                => ! in_array(strtolower($name), array_map(strtolower(...), $given->keys()), true),
            ARRAY_FILTER_USE_KEY,
        );

        foreach ($given->keys() as $name) {
            if (
                preg_match('/\A[A-Za-z0-9!#$%&\'*+.^_`|~-]+\z/', $name) !== 1
                || ctype_digit($name)
                || in_array(strtolower($name), $reserved, true)
            ) {
                throw InvalidConfig::unknownKey("{$given->path}.{$name}", ['any header but '.implode(', ', $reserved)]);
            }

            $headers[$name] = self::text($given, $name);
        }

        return $headers;
    }

    /**
     * @return array<string, string> the header Authorization, or an empty array
     *
     * @throws InvalidConfig without the value
     */
    public static function auth(ConfigReader $options): array
    {
        // An environment variable that is not set arrives as null, and must not turn authentication off.
        if (! in_array('auth', $options->keys(), true)) {
            return [];
        }

        try {
            $auth = $options->section('auth');
        } catch (InvalidConfig $e) {
            throw InvalidConfig::notShown($e->key, self::AUTH);
        }

        [$kind] = [...$auth->keys(), ''];

        if (count($auth->keys()) !== 1) {
            throw InvalidConfig::notShown($auth->path, self::AUTH);
        }

        return ['Authorization' => match ($kind) {
            'basic' => 'Basic '.base64_encode(self::text($auth, $kind)),
            'api_key' => 'ApiKey '.self::text($auth, $kind),
            'bearer' => 'Bearer '.self::text($auth, $kind),
            default => throw InvalidConfig::notShown($auth->path, self::AUTH),
        }];
    }

    private static function text(ConfigReader $options, string $name): string
    {
        try {
            $text = $options->string($name);
        } catch (InvalidConfig $e) {
            throw InvalidConfig::notShown($e->key, self::TEXT);
        }

        return preg_match('/[\x00-\x08\x0A-\x1F\x7F]/', $text) === 1
            ? throw InvalidConfig::notShown("{$options->path}.{$name}", self::TEXT)
            : $text;
    }
}
