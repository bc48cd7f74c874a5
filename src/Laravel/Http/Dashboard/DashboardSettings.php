<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard;

use Headroom\Spool\Append\Redaction;
use Headroom\Spool\Utf8;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The section `dashboard` of config/headroom.php.
 *
 * @internal
 */
final readonly class DashboardSettings
{
    public const PATH = 'headroom';

    private const KEYS = ['enabled', 'path', 'middleware', 'redact'];

    /** Keys whose values are not shown, at every depth and in any case. */
    private const REDACTED = [
        'password', 'passwd', 'secret', 'token', 'access_token', 'refresh_token', 'api_key', 'authorization', 'cookie',
        'credit_card', 'card_number', 'cvc', 'iban', 'private_key',
    ];

    /** @param list<string> $middleware */
    private function __construct(public string $path, public array $middleware, public Redaction $redaction) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $options = (new ConfigReader($config, 'headroom.dashboard'))->only(self::KEYS);
        $path = trim($options->string('path', self::PATH), '/');

        return new self(
            preg_match('~\A[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*\z~', $path) === 1
                ? $path
                : throw InvalidConfig::notAllowed('headroom.dashboard.path', $path, 'a path such as headroom'),
            $options->names('middleware') ?? ['web'],
            Redaction::of('headroom.dashboard.redact', $config['redact'] ?? self::REDACTED, Utf8::Replace),
        );
    }
}
