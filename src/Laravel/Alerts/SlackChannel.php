<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Headroom\Support\TerminalText;
use Illuminate\Http\Client\Factory;
use RuntimeException;
use Throwable;

/**
 * An incoming webhook of Slack, or of a server that takes the same JSON. It needs no package for Slack.
 *
 * @internal
 */
final readonly class SlackChannel implements AlertChannel
{
    private const CONNECT_SECONDS = 3;

    private const SECONDS = 8;

    /** Slack's limits: https://api.slack.com/reference/block-kit/blocks */
    private const HEADER_CHARACTERS = 150;

    private const SECTION_CHARACTERS = 3000;

    private const ANSWER_BYTES = 200;

    public function __construct(private Factory $http, private string $url) {}

    public function name(): string
    {
        return 'slack';
    }

    public function send(AlertMessage $message): void
    {
        try {
            $response = $this->http->createPendingRequest()
                ->connectTimeout(self::CONNECT_SECONDS)
                ->timeout(self::SECONDS)
                ->withoutRedirecting()
                ->post($this->url, self::payload($message));
        } catch (Throwable $e) {
            throw new RuntimeException($this->withoutUrl($e->getMessage()));
        }

        if ($response->status() !== 200) {
            throw new RuntimeException($this->withoutUrl(
                "The webhook answered {$response->status()}: "
                    .TerminalText::name($response->body(), self::ANSWER_BYTES),
            ));
        }
    }

    /** @return array<string, mixed> */
    private static function payload(AlertMessage $message): array
    {
        $sections = array_map(self::section(...), $message->parts());

        return [
            'text' => self::escaped($message->title()),
            'blocks' => [
                [
                    'type' => 'header',
                    'text' => [
                        'type' => 'plain_text',
                        'text' => mb_substr($message->title(), 0, self::HEADER_CHARACTERS, 'UTF-8'),
                        'emoji' => false,
                    ],
                ],
                ...$sections,
            ],
        ];
    }

    /** @return array<string, mixed> */
    private static function section(AlertText $part): array
    {
        $text = '*'.self::escaped(strtr($part->title, ['*' => '∗']))."*\n"
            .implode("\n", array_map(self::escaped(...), array_slice($part->lines(), 1)));

        return [
            'type' => 'section',
            'text' => [
                'type' => 'mrkdwn',
                // A cut inside an entity would show its rest as text.
                'text' => (string) preg_replace(
                    '/&[a-z]{0,3}\z/',
                    '',
                    mb_substr($text, 0, self::SECTION_CHARACTERS, 'UTF-8'),
                ),
                'verbatim' => true,
            ],
        ];
    }

    /** Slack gives these three characters a meaning: links, mentions and commands such as <!channel>. */
    private static function escaped(string $text): string
    {
        return strtr($text, ['&' => '&amp;', '<' => '&lt;', '>' => '&gt;']);
    }

    /** The address is the secret of a webhook. */
    private function withoutUrl(string $message): string
    {
        $path = (string) parse_url($this->url, PHP_URL_PATH);
        $message = str_replace($this->url, '[the webhook]', $message);

        return strlen($path) > 1 ? str_replace($path, '[the webhook]', $message) : $message;
    }
}
