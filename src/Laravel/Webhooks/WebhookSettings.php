<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Illuminate\Http\Request;
use Illuminate\Routing\Route;
use LogicException;

/**
 * What a route says of the webhooks it receives, as a part of its action: there it is cached with the route.
 *
 * @internal
 *
 * @phpstan-type Named array{scheme: string, bucket: string, secretIn: string, headers: list<string>, maxBytes: int, tolerance: int, header: string, algorithm: string, encoding: string, prefix: string, idHeader: ?string}
 */
final readonly class WebhookSettings
{
    private const KEY = 'webhook';

    /**
     * @param string $secretIn key of the configuration that has the secret, or a list of them
     * @param list<string> $headers kept with the body
     * @param int $maxBytes of a body
     * @param int $tolerance seconds between the sender's clock and ours
     */
    public function __construct(
        public string $scheme,
        public string $bucket,
        public string $secretIn,
        public array $headers,
        public int $maxBytes,
        private int $tolerance = 0,
        private string $header = '',
        private string $algorithm = '',
        private string $encoding = '',
        private string $prefix = '',
        private ?string $idHeader = null,
    ) {}

    /** @return array{uses: string, webhook: array<array-key, mixed>} */
    public function action(): array
    {
        return ['uses' => ReceiveWebhook::class.'@__invoke', self::KEY => get_object_vars($this)];
    }

    public static function of(Request $request): self
    {
        $route = ($request->getRouteResolver())();
        $named = $route instanceof Route ? $route->getAction(self::KEY) : null;

        if (! is_array($named)) {
            throw new LogicException('Only a route that was given what Headroom\Laravel\Webhooks\Webhook returns receives webhooks.');
        }

        /** @var Named $named */
        return new self(...$named);
    }

    public function scheme(): Scheme
    {
        return match ($this->scheme) {
            'standard' => new StandardScheme($this->prefix, $this->tolerance),
            'stripe' => new StripeScheme($this->tolerance),
            default => new HmacScheme($this->header, $this->algorithm, $this->encoding, $this->prefix, $this->idHeader),
        };
    }
}
