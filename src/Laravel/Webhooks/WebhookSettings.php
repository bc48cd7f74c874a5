<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Illuminate\Http\Request;
use Illuminate\Routing\Route;
use LogicException;

/**
 * The settings of a webhook route, stored in its action, so that they are cached with the route.
 *
 * @internal
 *
 * @phpstan-type Named array{scheme: string, bucket: string, secretIn: string, headers: list<string>, maxBytes: int,
 * tolerance: int, header: string, algorithm: string, encoding: string, prefix: string, idHeader: ?string}
 */
final readonly class WebhookSettings
{
    private const KEY = 'webhook';

    /**
     * @param string $secretIn configuration key of the secret, or of a list of secrets
     * @param list<string> $headers headers that are kept with the body
     * @param int $maxBytes of the body
     * @param int $tolerance largest difference between the sender's clock and ours, in seconds
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
            throw new LogicException(
                'The route has no webhook settings. Use an action of Headroom\Laravel\Webhooks\Webhook.',
            );
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
