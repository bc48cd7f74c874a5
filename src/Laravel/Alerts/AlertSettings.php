<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The section `notify` of config/headroom.php.
 *
 * @internal
 */
final readonly class AlertSettings
{
    private const KEYS = ['mail', 'slack', 'notifiable', 'after'];

    private const MAX_MINUTES = 1440;

    /**
     * @param list<string> $mail
     * @param ?string $notifiable name of a class or of a binding of the container
     * @param int $after seconds without a delivery
     */
    private function __construct(
        public array $mail,
        public ?string $slack,
        public ?string $notifiable,
        public int $after,
    ) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $mail = $config['mail'] ?? [];
        // An environment variable holds several addresses as one text.
        $config['mail'] = is_string($mail)
            ? array_values(array_filter(array_map(trim(...), explode(',', $mail)), static fn (string $one): bool
                => $one !== ''))
            : $mail;
        // An empty environment variable stands for none.
        $config = array_filter($config, static fn (mixed $value): bool => $value !== '');
        $options = (new ConfigReader($config, 'headroom.notify'))->only(self::KEYS);

        return new self(
            array_map(self::address(...), $options->names('mail') ?? []),
            self::url($options->optionalString('slack')),
            $options->optionalString('notifiable'),
            60 * $options->int('after', 1, self::MAX_MINUTES, 5),
        );
    }

    /**
     * Whether the section names a receiver. It is asked in each artisan command, so it checks nothing.
     *
     * @param array<array-key, mixed> $config
     */
    public static function hasReceiver(array $config): bool
    {
        $empty = [null, '', [], false];

        return ! in_array($config['mail'] ?? null, $empty, true)
            || ! in_array($config['slack'] ?? null, $empty, true)
            || ! in_array($config['notifiable'] ?? null, $empty, true);
    }

    private static function address(string $address): string
    {
        return filter_var($address, FILTER_VALIDATE_EMAIL, FILTER_FLAG_EMAIL_UNICODE) !== false
            ? $address
            : throw InvalidConfig::notAllowed('headroom.notify.mail', $address, 'a list of mail addresses');
    }

    private static function url(?string $url): ?string
    {
        return $url === null || preg_match('~\Ahttps?://[^\s/]+~i', $url) === 1
            ? $url
            : throw InvalidConfig::notShown('headroom.notify.slack', 'the address of a webhook');
    }
}
